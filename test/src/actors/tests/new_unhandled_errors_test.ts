import t from "tap";
import type { CallOutcome } from "../../../../machines/model/plugin.ts";
import type { TestCase } from "../../../../machines/model/test_case.ts";
import type { Finding } from "../../../../machines/model/verdict.ts";
import {
  lastUnhandledErrors,
  markCall,
  newUnhandledErrors,
  wasCalled,
} from "../../../../src/actors/tests/new_unhandled_errors.ts";
import type { Connection } from "../../../../src/client/connection.ts";

const testOf = (tool: string) => ({ id: `${tool}-test`, tool, input: {} }) as TestCase;
const accepted = { isError: false, text: "done" };
const refused = { isError: true, text: "no such file" };
/** Refusals for the input, which no code of the tool has seen. */
const unseen: Record<string, Pick<CallOutcome, "isError" | "text" | "code">> = {
  "an error of the protocol": { isError: true, text: "Invalid params", code: -32602 },
  "a result of the SDK": {
    isError: true,
    text: "MCP error -32602: Input validation error: Invalid arguments for tool load",
  },
  "a result of the Python SDK": {
    isError: true,
    text: "Input validation error: 'path' is a required property",
  },
};
const report = (name: string) => `Unhandled rejection: Error: ${name}\n`;
const told = ({ tool, message }: Finding) => `${tool}: ${message.replace(/^.*rejection: /, "")}`;

interface CallStory {
  /** What comes on stderr before the call, and within. */
  before?: string;
  within?: string;
  /** Null where none comes. */
  answer?: typeof refused | null;
}

/** A connection whose stderr grows, and tests on it, each of one call or several. */
function noisy() {
  let stderr = "";
  const connection = { stderrTail: () => stderr } as Connection;
  return {
    connection,
    write: (text: string) => void (stderr += text),
    async test(tool: string, ...calls: CallStory[]): Promise<string[]> {
      for (const { before = "", within = "", answer = accepted } of calls.length === 0 ? [{}] : calls) {
        stderr += before;
        const noteAnswer = await markCall(connection, tool, {});
        stderr += within;
        if (answer) noteAnswer(answer);
      }
      return newUnhandledErrors(connection, testOf(tool)).map(told);
    },
    last: (ended: boolean) =>
      lastUnhandledErrors(connection, { ended }).map(({ finding, testId }) => `${testId} ${told(finding)}`),
  };
}

t.test("an unhandled error is the tool's whose call it came in, or the last one's where it came later", async (t) => {
  const { test } = noisy();
  t.same(await test("quiet", { before: "started\n" }), []);
  t.same(await test("save", { within: report("disk") }), ["save: Error: disk"]);
  t.same(await test("load", { before: report("late"), within: "read 3 lines\n" }), ["save: Error: late"]);
  t.same(await test("load"), [], "each is told once");
});

t.test("what comes in the moment after an answer is the answered call's, though another tool is called at once", async (t) => {
  const { connection, write, test } = noisy();
  const noteAnswer = await markCall(connection, "save", {});
  noteAnswer(accepted);
  newUnhandledErrors(connection, testOf("save"));
  setImmediate(() => write(report("soon")));
  t.same(await test("load"), ["save: Error: soon"]);
  // As much later as the moment takes: the next turn reads what has come.
  const noteLater = await markCall(connection, "save", {});
  noteLater(accepted);
  newUnhandledErrors(connection, testOf("save"));
  const from = performance.now();
  while (performance.now() - from < 15);
  setImmediate(() => write(report("read late")));
  t.same(await test("load"), ["save: Error: read late"]);
});

t.test("an error at the start is no tool's, and that of a call that failed is shown by its test", async (t) => {
  const { test } = noisy();
  t.same(await test("save", { before: report("start") }), ["undefined: Error: start"]);
  t.same(await test("save", { within: report("refused"), answer: refused }), []);
  t.same(await test("save", { within: report("silent"), answer: null }), []);
});

for (const [kind, answer] of Object.entries(unseen)) {
  t.test(`what comes within a call that no code of the tool has seen is the former call's: ${kind}`, async (t) => {
    const { test } = noisy();
    await test("save");
    t.same(await test("load", { within: report("late"), answer }), ["save: Error: late"]);
    t.same(await test("load", { before: report("later"), answer }), ["save: Error: later"]);
  });
}

t.test("a control call keeps what it left behind when the refused call follows", async (t) => {
  const { test } = noisy();
  t.same(await test("save", { within: report("disk") }, { answer: refused }), ["save: Error: disk"]);
  t.same(await test("save", {}, { within: report("late"), answer: unseen["a result of the SDK"]! }), [
    "save: Error: late",
  ]);
});

t.test("what comes after the last test is told with that test, and at the server's end as the server's", async (t) => {
  const { test, last, write } = noisy();
  await test("save");
  write(report("late"));
  t.same(last(false), ["save-test save: Error: late"]);
  t.same(last(false), [], "once");
  write(report("end"));
  t.same(last(true), ["save-test undefined: Error: end"]);
});

t.test("the end of a server that owes an answer is no fault of its own", async (t) => {
  const { test, last, write } = noisy();
  await test("save", { answer: null });
  write(report("cut short"));
  t.same(last(true), []);
});

t.test("a test without a connection, or without a call, has none", (t) => {
  const { connection, last } = noisy();
  t.same(newUnhandledErrors(undefined, testOf("x")), []);
  t.same(newUnhandledErrors(connection, testOf("x")), []);
  t.notOk(wasCalled(connection));
  t.same(last(false), []);
  t.end();
});
