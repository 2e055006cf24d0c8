/** Tests proposed from sessions are read back, played and judged on the session itself. */
import { join } from "node:path";
import t, { type Test } from "tap";
import type { AgentTest } from "../../../machines/model/agent_fixture.ts";
import type { AgentTrace, TraceEntry } from "../../../machines/model/agent_session.ts";
import { readFixtures } from "../../../src/agent_fixtures/format/read_fixtures.ts";
import { judgeExpectations } from "../../../src/agent_fixtures/judge_expectations.ts";
import { proposeTest } from "../../../src/agent_fixtures/propose_test.ts";
import { mkdir, writeTextFile } from "../../../src/platform/files.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";
import { callOf } from "./session_of.ts";

const turn = (
  lane: string,
  calls: [tool: string, input: Record<string, unknown>][],
  text?: string,
): TraceEntry => ({
  type: "turn",
  lane,
  ...(text === undefined ? {} : { text }),
  calls: calls.map(([tool, input]) => ({ tool, input })),
});
const bash = { command: "cat <project>/a.txt | grep '$5'" };
const write = { file_path: "<project>/b.txt", content: "x".repeat(200), mode: 4 };
const agent = { subagent_type: "shop:finder", prompt: "find" };

const trace: AgentTrace = {
  format: "pth-agent-trace/1",
  timeline: [
    { type: "session", tools: [], commands: ["shop:report"], agents: [], servers: {} },
    { type: "prompt", text: "/shop:report ${now}", hooks: [] },
    turn("main", [["Bash", bash], ["Write", write]], "It costs $5 (once)."),
    callOf("Bash", bash, { is_error: false, result: "$5" }),
    callOf("Write", write, { is_error: true, denied: true, id: "call-2" }),
    turn("main", [["Skill", { skill: "shop:press" }], ["Agent", agent]]),
    callOf("Skill", { skill: "shop:press" }, { is_error: false }),
    callOf("Agent", agent, { is_error: false }),
    {
      type: "subagent",
      lane: "finder",
      id: "call-4",
      agent: "shop:finder",
      hooks: [{ event: "SubagentStop" }],
    },
    turn("finder", [["mcp__shop__find", { name: "fern" }]]),
    callOf("mcp__shop__find", { name: "fern" }, { lane: "finder", is_error: true }),
    turn("finder", [], "none"),
    turn("main", [], "Done: a.b (really)?\nMore."),
    turn("title", [], "A title"),
    { type: "end", text: "Done: a.b (really)?\nMore.", hooks: [] },
  ],
  changes: [{ path: "new.md", change: "added" }],
  warnings: [],
};

async function readBack(t: Test, text: string): Promise<AgentTest> {
  const folder = await temporaryFolder(t);
  await mkdir(join(folder, "tests"));
  await mkdir(join(folder, ".claude-plugin"));
  await writeTextFile(join(folder, ".claude-plugin/plugin.json"), '{ "name": "shop" }');
  await writeTextFile(join(folder, "fixture.yaml"), "name: shop\n");
  await writeTextFile(join(folder, "tests/test_report.yaml"), text);
  const { fixtures: [fixture] } = await readFixtures(folder);
  return fixture!.tests[0]!;
}

t.test("a session becomes a test that it passes, with the turns that it was played by", async (t) => {
  const { text, notes } = proposeTest({ trace, agent: "claude", failures: [] }, { id: "report-001" });
  t.same(notes, []);
  const test = await readBack(t, text);
  t.match(test, { id: "report-001", prompt: "/shop:report ${now}", agent: "claude" });
  t.strictSame(test.expectations.map(({ type, expected }) => [type, expected]), [
    ["command_expanded", { command: "/shop:report" }],
    ["tool_call", { tool: "Bash", pattern: "cat <project>/a\\.txt \\| grep '\\$5'", is_error: false }],
    ["permission_asked", { tool: "Write" }],
    ["skill_used", { skill: "shop:press" }],
    ["tool_call", {
      tool: "Agent",
      input: { "$.subagent_type": "shop:finder", "$.prompt": "find" },
      is_error: false,
    }],
    ["tool_call", { tool: "mcp__shop__find", input: { "$.name": "fern" }, is_error: true }],
    ["subagent_event", { event: "SubagentStop", agent_type: "shop:finder" }],
    ["file", { path: "new.md", is: "created" }],
    ["output_contains", { pattern: "Done: a\\.b \\(really\\)\\?" }],
  ]);
  const [, ...judgeable] = test.expectations;
  t.equal(judgeExpectations(judgeable, { trace, checks: {} }, []).status, "pass");
  t.match(test.playbook?.lanes, [
    {
      name: "main",
      turns: [
        {
          text: "It costs $$5 (once).",
          calls: [{ input: { command: "cat $project/a.txt | grep '$$5'" } }, { input: { mode: 4 } }],
        },
        { calls: [{ tool: "Skill" }, { tool: "Agent" }] },
        { text: "Done: a.b (really)?\nMore." },
      ],
    },
    { subagent: "shop:finder", turns: [{ calls: [{ tool: "mcp__shop__find" }] }, { text: "none" }] },
  ]);
  t.equal(test.playbook?.lanes.length, 2, "titles are answered without a lane");
});

t.test("what cannot be played again is refused or noted", (t) => {
  const propose = (timeline: TraceEntry[], failures: string[] = []) =>
    proposeTest({ trace: { ...trace, timeline }, failures }, { id: "a" });
  t.throws(() => propose(trace.timeline, ["claude ended with exit code 1"]), {
    message: /the session failed: claude/,
  });
  t.throws(() => propose([]), { message: /no prompt/ });
  const error: TraceEntry = { type: "turn", lane: "main", calls: [], error: "529 overloaded" };
  t.throws(() => propose([...trace.timeline, error]), { message: /529 overloaded/ });
  const id = turn("main", [["Bash", { command: "kill <id>" }]]);
  t.match(propose([...trace.timeline, id]).notes, [/turns have <id> in place of/]);
  const twice = trace.timeline.flatMap((entry): TraceEntry[] =>
    entry.type === "subagent" ? [entry, entry] : [entry]
  );
  t.match(propose(twice).notes, ["2 subagents shared the lane finder: give each its own turns"]);
  t.match(proposeTest({ trace, failures: [] }, { id: "a", playbook: "p.yaml" }).text, "playbook: p.yaml");
  t.end();
});
