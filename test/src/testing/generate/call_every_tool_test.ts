import t from "tap";
import type { CallOutcome, ToolDefinition } from "../../../../machines/model/plugin.ts";
import { PthError } from "../../../../src/core/errors.ts";
import { callEveryTool } from "../../../../src/testing/generate/call_every_tool.ts";

const inputSchema = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
const tools: ToolDefinition[] = [
  { name: "first", inputSchema },
  { name: "wipe", inputSchema, annotations: { destructiveHint: true } },
  { name: "last", inputSchema },
];
const outcome = { kind: "result", text: "", isError: false } as CallOutcome;

/** A connection that notes its calls; `answer` says what becomes of one. */
function connect(answer: (tool: string) => Promise<CallOutcome>) {
  const calls: string[] = [];
  const callTool = (tool: string, input: Record<string, unknown>) => {
    calls.push(`${tool} ${typeof input.n}`);
    return answer(tool);
  };
  return { calls, connection: { listTools: () => Promise.resolve(tools), callTool } };
}

const never = new AbortController().signal;

t.test("each tool is called once with a valid input, held back ones are not", async (t) => {
  const { calls, connection } = connect(() => Promise.resolve(outcome));
  await callEveryTool(connection, [], never);
  t.same(calls, ["first number", "last number"]);
});

t.test("a call that fails or gets no answer is no reason to stop", async (t) => {
  const { calls, connection } = connect((tool) =>
    tool === "first" ? Promise.reject(new DOMException("late", "TimeoutError")) : Promise.resolve(outcome)
  );
  await callEveryTool(connection, [], never);
  t.equal(calls.length, 2);
});

t.test("a server that goes away ends it", async (t) => {
  const lost = new PthError("SERVER_LOST", "Cannot call: the server is gone");
  const { calls, connection } = connect(() => Promise.reject(lost));
  await t.rejects(callEveryTool(connection, [], never), lost);
  t.equal(calls.length, 1);
});

t.test("it ends with its signal", async (t) => {
  const abort = new AbortController();
  const { calls, connection } = connect(() => {
    abort.abort(new Error("over"));
    return Promise.reject(new Error("cancelled"));
  });
  await t.rejects(callEveryTool(connection, [], abort.signal), { message: "over" });
  t.equal(calls.length, 1);
});

t.test("tools that are known to take long are called side by side, before the others", async (t) => {
  let release = () => {};
  const bothAsked = new Promise<void>((resolve) => release = resolve);
  const { calls, connection } = connect(async () => {
    if (calls.length === 2) release();
    await bothAsked;
    return outcome;
  });
  await callEveryTool(connection, ["first", "last"], never);
  t.same(calls, ["first number", "last number"]);
});
