import t from "tap";
import { traceOfCommand } from "../../../../src/agents/adapters/trace_of_command.ts";
import type { ModelExchange } from "../../../../machines/model/agent_session.ts";

const place = {
  folder: "/w/agent-1",
  project: "/w/agent-1/project",
  plugin: "/w/plugin",
  url: "http://127.0.0.1:7",
  prompt: "go",
};
const turn = (changes: Partial<ModelExchange>): ModelExchange => ({
  lane: "main",
  tools: ["b", "a"],
  calls: [],
  ...changes,
});

t.test("turns, their calls with results, and the output are one timeline without places and addresses", (t) => {
  const input = { path: "/w/agent-1/project/a" };
  const { timeline, warnings } = traceOfCommand({
    files: {},
    output: ["asking http://127.0.0.1:7/v1", "done"],
    exchanges: [
      turn({ text: "I look.", calls: [{ tool: "a", input }, { tool: "b", input: {} }] }),
      turn({ error: "status 500" }),
      turn({ tools: [], refused: "no turn is left" }),
    ],
    resultOf: (exchange, call) =>
      exchange === 0 && call === 0 ? { text: "in /w/plugin", isError: true } : undefined,
  }, place);
  t.strictSame(timeline, [
    { type: "prompt", text: "go", hooks: [] },
    {
      type: "turn",
      lane: "main",
      tools: ["a", "b"],
      calls: [{ tool: "a", input: { path: "<project>/a" } }, { tool: "b", input: {} }],
      text: "I look.",
    },
    {
      type: "tool_call",
      lane: "main",
      id: "call-1",
      tool: "a",
      input: { path: "<project>/a" },
      result: "in <plugin>",
      is_error: true,
      hooks: [],
    },
    { type: "tool_call", lane: "main", id: "call-2", tool: "b", input: {}, hooks: [] },
    { type: "turn", lane: "main", calls: [], error: "status 500" },
    { type: "turn", lane: "main", tools: [], calls: [], refused: "no turn is left" },
    { type: "end", text: "asking <model>/v1\ndone", hooks: [] },
  ]);
  t.strictSame(warnings, []);
  t.end();
});

t.test("of a long output the end is kept", (t) => {
  const records = {
    files: {},
    exchanges: [],
    resultOf: () => undefined,
    output: ["x".repeat(70_000), "end"],
  };
  const { timeline, warnings } = traceOfCommand(records, place);
  t.match(timeline.at(-1), { text: /^x{65532}\nend$/ });
  t.match(warnings, ["the output is longer than 64 KiB: its beginning is missing"]);
  t.match(traceOfCommand({ ...records, output: [] }, place).timeline.at(-1), { type: "end", hooks: [] });
  t.end();
});
