import t from "tap";
import { traceOfClaude } from "../../../../src/agents/adapters/trace_of_claude.ts";
import type { AgentRecords } from "../../../../src/agents/adapters/agent.ts";
import type { ModelExchange } from "../../../../machines/model/agent_session.ts";

const place = {
  folder: "/w/agent-1",
  project: "/w/agent-1/project",
  plugin: "/w/plugin",
  url: "http://127.0.0.1:7",
  prompt: "Find /w/plugin",
};
const lines = (...values: object[]): string => values.map((value) => `${JSON.stringify(value)}\n`).join("");
const hook = (hook_event_name: string, more: object = {}) => lines({ hook_event_name, ...more });
const said = (content: object[], more: object = {}) => ({ type: "assistant", message: { content }, ...more });
const called = (id: string, name: string) => ({ type: "tool_use", id, name, input: {} });
const answered = (tool_use_id: string, text: string, is_error = false) => ({
  type: "user",
  message: { content: [{ type: "tool_result", tool_use_id, content: [{ type: "text", text }], is_error }] },
});
const turn = (...tools: string[]): ModelExchange => ({
  lane: "main",
  tools: ["b", "a"],
  calls: tools.map((tool) => ({ tool, input: {} })),
});

/** Traces of the same session, whose records came in another order and with other ids. */
const session = ([first, second]: [string, string], agent: string, folder: string): AgentRecords => ({
  resultOf: () => undefined,
  exchanges: [
    turn("Read", "Agent"),
    { ...turn("Read"), agent, lane: "finder" },
    { ...turn(), agent, lane: "finder", text: "found" },
    { ...turn(), text: "done" },
  ],
  output: [
    JSON.stringify({
      type: "system",
      subtype: "init",
      tools: ["b", "a"],
      mcp_servers: [{ name: "s", status: "connected" }],
    }),
    JSON.stringify(said([called(second, "Agent")])),
    JSON.stringify(said([called(first, "Read")])),
    JSON.stringify({
      type: "system",
      subtype: "task_started",
      task_id: agent,
      tool_use_id: second,
      subagent_type: "t",
    }),
    JSON.stringify(said([called("inner", "Read")], { agent_id: agent })),
    JSON.stringify({ type: "result", result: `done in ${folder}/project` }),
  ],
  files: {
    [`hooks/${agent}`]: hook("SubagentStart", { agent_id: agent, agent_type: "t:finder" }),
    "hooks/z": hook("PostToolUse", { tool_use_id: first }),
    "hooks/y": hook("PreToolUse", { tool_use_id: first }),
    "hooks/x": hook("SessionStart") + hook("Stop"),
    "home/.claude/projects/p/s.jsonl": lines(
      answered(second, `agentId: ${agent}`),
      answered(first, `${folder}/home`),
    ),
    [`home/.claude/projects/p/s/subagents/agent-${agent}.jsonl`]: lines(answered("inner", "none", true)),
  },
});

t.test("records become one timeline: calls after their turns, a subagent's turns in its call", (t) => {
  const { timeline, warnings } = traceOfClaude(session(["1", "2"], "agent-abc", "/w/agent-1"), place);
  t.strictSame(warnings, []);
  t.match(timeline.map((entry) => `${entry.type} ${"lane" in entry ? entry.lane : ""}`.trim()), [
    "session",
    "prompt",
    "turn main",
    "tool_call main",
    "tool_call main",
    "subagent finder",
    "turn finder",
    "tool_call finder",
    "turn finder",
    "turn main",
    "end",
  ]);
  t.match(timeline[3], {
    id: "call-1",
    tool: "Read",
    result: "<folder>/home",
    hooks: [{ event: "PreToolUse" }, { event: "PostToolUse" }],
  });
  t.match(timeline[4], { tool: "Agent", result: "agentId: <agent 1>" });
  t.match(timeline[5], { agent: "t:finder", id: "call-2" });
  t.match(timeline[7], { tool: "Read", result: "none", is_error: true });
  t.match(timeline.at(-1), { text: "done in <project>", hooks: [{ event: "Stop" }] });
  t.strictSame(timeline.flatMap((entry) => entry.type === "turn" ? [entry.tools] : []), [
    ["a", "b"],
    ["a", "b"],
    undefined,
    undefined,
  ], "tools are told where they change");
  t.end();
});

t.test("two sessions that went the same way have the same trace", (t) => {
  const other = { ...place, folder: "/v/agent-2", project: "/v/agent-2/project" };
  t.strictSame(
    traceOfClaude(session(["9", "8"], "agent-xyz", other.folder), other),
    traceOfClaude(session(["1", "2"], "agent-abc", place.folder), place),
  );
  t.end();
});

t.test("records that are missing, half-written or odd cost nothing but themselves", (t) => {
  const records = session(["1", "2"], "agent-abc", "/w/agent-1");
  const bare = traceOfClaude({ ...records, output: [], files: {} }, place);
  t.match(bare.warnings, [/no hook has run/]);
  t.match(bare.timeline.map(({ type }) => type).join(" "), /prompt turn tool_call tool_call turn turn/);
  const half = traceOfClaude({
    ...records,
    files: { ...records.files, "home/.claude/projects/p/s.jsonl": '{"type":"user","mess' },
    output: [...records.output, "null", "[]", '{"type":"assistant","message":7}'],
  }, place);
  t.match(half.warnings, [
    "the output has 2 lines that cannot be read",
    "a transcript has a line that cannot be read",
  ]);
  t.end();
});

t.test("ids that a plugin has written into the records of hooks do not make texts grow", (t) => {
  const records = session(["1", "2"], "agent-abc", "/w/agent-1");
  const ids = ["", "a", "n", "o", ...Array.from({ length: 1000 }, (_, at) => `agent-${at}${"x".repeat(8)}`)];
  const files = {
    ...records.files,
    "hooks/forged": ids.map((agent_id) => hook("SubagentStart", { agent_id })).join(""),
  };
  const { timeline } = traceOfClaude({ ...records, files }, place);
  t.match(timeline[7], { tool: "Read", result: "none" });
  t.end();
});

t.test("hooks that fail and permissions that were denied are warnings", (t) => {
  const records = session(["1", "2"], "agent-abc", "/w/agent-1");
  const failed = {
    subtype: "hook_response",
    hook_event: "Stop",
    outcome: "error",
    exit_code: 1,
    stderr: "/w/plugin/h: no\n",
  };
  const last = { type: "result", permission_denials: [{ tool_name: "Bash" }] };
  const { timeline, warnings } = traceOfClaude({
    ...records,
    output: [...records.output, JSON.stringify(failed), JSON.stringify(last)],
  }, place);
  t.strictSame(warnings, [
    "a hook for Stop failed: error, exit code 1: <plugin>/h: no",
    "the permission for Bash was denied",
  ]);
  t.match(timeline.at(-1), { hooks: [{ event: "Stop", failed: /exit code 1/ }] });
  t.end();
});

t.test("a call whose permission was denied is marked, one that a hook blocked is not", (t) => {
  const blocked = "PreToolUse:Bash hook error: [./guard]: no";
  const denied = {
    type: "result",
    permission_denials: [{ tool_name: "Write", tool_use_id: "w" }, { tool_name: "Bash", tool_use_id: "b" }],
  };
  const { timeline } = traceOfClaude({
    resultOf: () => undefined,
    exchanges: [turn("Write", "Bash", "Read")],
    output: [
      said([called("w", "Write"), called("b", "Bash"), called("r", "Read")]),
      answered("w", "not granted", true),
      answered("b", blocked, true),
      answered("r", "x"),
      denied,
    ].map((line) => JSON.stringify(line)),
    files: {},
  }, place);
  const calls = timeline.filter((entry) => entry.type === "tool_call");
  t.strictSame(calls.map((call) => [call.tool, "denied" in call]), [["Write", true], ["Bash", false], [
    "Read",
    false,
  ]]);
  t.end();
});

t.test("a hook that failed is one of the call that it blocked, and of no other", (t) => {
  const failed = (hook_name: string, exit_code: number) => ({
    ...{ type: "system", subtype: "hook_response", hook_event: "PreToolUse", hook_name, exit_code },
    ...{ outcome: "error", stderr: `no ${hook_name}` },
  });
  const { timeline } = traceOfClaude({
    resultOf: () => undefined,
    exchanges: [turn("Bash", "Bash", "Write", "Read")],
    output: [
      said([called("b1", "Bash"), called("b2", "Bash"), called("w", "Write"), called("r", "Read")]),
      failed("PreToolUse:Bash", 2),
      failed("PreToolUse:Write", 1),
      answered("b1", "PreToolUse:Bash hook error: [./guard]: no", true),
      answered("b2", "fine"),
    ].map((line) => JSON.stringify(line)),
    files: Object.fromEntries(
      ["b1", "b2", "w", "r"].map((id) => [`hooks/${id}`, hook("PreToolUse", { tool_use_id: id })]),
    ),
  }, place);
  const calls = timeline.filter((entry) => entry.type === "tool_call");
  t.strictSame(calls.map(({ hooks }) => hooks.map(({ failed }) => failed)), [
    ["error, exit code 2: no PreToolUse:Bash"],
    [undefined],
    ["error, exit code 1: no PreToolUse:Write"],
    [undefined],
  ]);
  t.end();
});
