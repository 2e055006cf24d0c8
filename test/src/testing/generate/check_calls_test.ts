import t from "tap";
import type { ToolDefinition } from "../../../../machines/model/plugin.ts";
import {
  calmTools,
  distinctInputs,
  inUnitOf,
  plainInput,
  waitingInput,
} from "../../../../src/testing/generate/check_calls.ts";

const tool = (
  name: string,
  properties: Record<string, unknown> = {},
  annotations?: ToolDefinition["annotations"],
) =>
  ({
    name,
    inputSchema: { type: "object", properties, required: Object.keys(properties) },
    ...(annotations === undefined ? {} : { annotations }),
  }) as ToolDefinition;

t.test("checks call what says that it reads, or is named like it", (t) => {
  const tools = [
    tool("read_file"),
    tool("add"),
    tool("add_note"),
    tool("createItem"),
    tool("delete_all", {}, { readOnlyHint: false }),
    tool("calculate", {}, { readOnlyHint: false }),
    tool("update_view", {}, { readOnlyHint: true }),
    tool("search_web", {}, { openWorldHint: true }),
    tool("search_web_too", {}, { openWorldHint: true, readOnlyHint: true }),
  ];
  t.same(calmTools(tools).map(({ name }) => name), ["read_file", "add", "update_view", "search_web_too"]);
  t.end();
});
t.test("two inputs of one tool differ by a text, by a number, or are one", (t) => {
  const texts = distinctInputs(tool("find", { kind: { enum: ["a"] }, text: { type: "string" } }));
  t.match(texts, [{ mark: /^pth/, input: { kind: "a" } }, { mark: /^pth/ }]);
  t.same(texts.map(({ input, mark }) => input.text === mark), [true, true]);
  t.not(texts[0]!.mark, texts[1]!.mark);
  const numbers = distinctInputs(tool("square", { of: { type: "integer", minimum: 1 } }));
  t.same(numbers.map(({ input }) => input.of), [1, 2]);
  t.equal(distinctInputs(tool("now")).length, 1);
  t.equal(distinctInputs(tool("list", { email: { type: "string", format: "email" } })).length, 1);
  t.same(distinctInputs({ name: "broken", inputSchema: { type: "wrong" } }), []);
  t.end();
});
t.test("a tool that can be told to take its time takes a moment", (t) => {
  t.same(waitingInput(tool("sleep", { ms: { type: "integer" } })), { ms: 400 });
  t.same(waitingInput(tool("sleep", { seconds: { type: "number" } })), { seconds: 0.4 });
  t.same(waitingInput(tool("sleep", { seconds: { type: "integer", maximum: 60 } })), { seconds: 1 });
  const fetching = tool("fetch", { timeout: { type: "integer" } });
  t.same(waitingInput(fetching), plainInput(fetching), "a limit is no time to take");
  t.end();
});
t.test("the unit of a time is read from its name, its description or its limits", (t) => {
  t.equal(inUnitOf("timeout_ms", {}, 1000), 1000);
  t.equal(inUnitOf("timeout", { description: "In seconds" }, 1000), 1);
  t.equal(inUnitOf("timeout", { default: 30_000 }, 1000), 1000);
  t.equal(inUnitOf("timeout", { default: 30 }, 1000), 1);
  t.end();
});
