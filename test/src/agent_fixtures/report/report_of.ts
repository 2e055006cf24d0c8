/** A test of an agent that ran, for tests of its report. */
import type { AgentTest } from "../../../../machines/model/agent_fixture.ts";
import type { AgentTrace, TraceEntry } from "../../../../machines/model/agent_session.ts";
import { judgeExpectations } from "../../../../src/agent_fixtures/judge_expectations.ts";
import { agentTestReport, type FinishedTest } from "../../../../src/agent_fixtures/report/test_report.ts";
import type { TestReport } from "../../../../src/agent_fixtures/report/report_schema.ts";

export const startedAt = Date.UTC(2026, 0, 16, 12);

const turns = [
  {
    text: "I read the configuration.",
    calls: [{ tool: "Bash", input: { command: "cat .herbarium/config.yaml" } }],
  },
  { text: "# Herbarium Report\n\nAll is **well**." },
];

export const agentTest: AgentTest = {
  id: "herbarium-report-001",
  name: "The report reads the configuration",
  description: "The command reads, and writes nothing",
  tags: ["readonly"],
  file: "fixtures/herbarium/tests/test_report.yaml",
  line: 3,
  agent: "claude",
  prompt: "/herbarium:report --short",
  tools: ["Bash"],
  asksPermission: false,
  timeoutMs: 30_000,
  playbook: { lanes: [{ name: "main", turns }] },
  start: { root: "/fixtures/herbarium", files: [], git: true, commands: ["echo begun > begun.txt"] },
  expectations: [
    {
      id: "exp-001",
      description: "Reads the configuration",
      type: "tool_call",
      expected: { tool: "Bash", pattern: "cat.*config\\.yaml" },
    },
    {
      id: "exp-002",
      description: "Reads the notes",
      type: "tool_call",
      expected: { tool: "Bash", pattern: "cat.*notes\\.md" },
    },
    {
      id: "exp-003",
      description: "Says the report",
      type: "output_contains",
      expected: { pattern: "herbarium report", flags: "i" },
    },
  ],
  teardown: [],
};

export const timeline: TraceEntry[] = [
  { type: "session", tools: ["Bash"], commands: ["herbarium:report"], agents: [], servers: {} },
  {
    type: "prompt",
    text: agentTest.prompt,
    hooks: [{ event: "SessionStart" }, { event: "UserPromptSubmit" }],
  },
  {
    type: "turn",
    lane: "main",
    text: "I read the configuration.",
    calls: [{ tool: "Bash", input: { command: "cat .herbarium/config.yaml" } }],
  },
  {
    type: "tool_call",
    lane: "main",
    id: "call-1",
    tool: "Bash",
    input: { command: "cat .herbarium/config.yaml" },
    result: "mode: readonly",
    is_error: false,
    hooks: [{ event: "PreToolUse" }, { event: "PostToolUse", failed: "error, exit code 1: no jq" }],
  },
  { type: "turn", lane: "main", calls: [], text: turns[1]!.text! },
  { type: "end", text: turns[1]!.text!, hooks: [{ event: "Stop" }] },
];

const times = [null, null, { at: 200, until: 250 }, { at: 250, until: 400 }, { at: 400, until: 450 }, null]
  .map((time) => time === null ? null : { at: startedAt + time.at, until: startedAt + time.until });

/** The test with other parts, judged. */
export function finishedTest(
  { test = {}, trace = {}, failures = [], ...more }: {
    test?: Partial<AgentTest>;
    trace?: Partial<AgentTrace>;
    failures?: string[];
  } & Partial<Omit<FinishedTest, "test">> = {},
): FinishedTest {
  const ran = { ...agentTest, ...test };
  const session: NonNullable<FinishedTest["session"]> = {
    agent: "claude",
    version: "2.1.330",
    exit: { code: 0, signal: null, stderr: "" },
    stopped: undefined,
    trace: {
      format: "pth-agent-trace/1",
      timeline,
      changes: [{ path: "begun.txt", change: "removed" }, { path: "report.md", change: "added" }],
      warnings: [],
      ...trace,
    },
    failures,
    drift: [],
    played: 2,
    playbook: [],
    facts: { session: "4a69f9b0", times, tokens: { input: 20, output: 10 }, gitChanged: false },
  };
  return {
    fixture: { name: "herbarium", plugin: "/plugins/herbarium" },
    test: ran,
    session,
    judgement: judgeExpectations(ran.expectations, { trace: session.trace, checks: {} }, failures),
    startedAt,
    durationMs: 500,
    embedded: {
      plugin: {
        files: [{ path: ".claude-plugin/plugin.json", executable: false, text: `{"name":"herbarium"}\n` }],
        copies: [],
      },
      project: {
        files: [{ path: ".herbarium/config.yaml", executable: false, text: "mode: readonly\n" }],
        copies: [],
      },
    },
    gitState: { branch: "main", commit: "0".repeat(40), modified_files: [] },
    place: { runtime: "sandbox" },
    ...more,
  };
}

export const recordedReport = (...of: Parameters<typeof finishedTest>): TestReport =>
  agentTestReport(finishedTest(...of));
