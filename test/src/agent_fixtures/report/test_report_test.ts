import { Ajv2020 } from "ajv/dist/2020.js";
import t from "tap";
import type { AgentTest } from "../../../../machines/model/agent_fixture.ts";
import {
  fixtureRunReportJsonSchema,
  testReportJsonSchema,
} from "../../../../src/agent_fixtures/report/report_schema.ts";
import { runOfTests, runReport } from "../../../../src/agent_fixtures/report/run_report.ts";
import { judgeExpectations } from "../../../../src/agent_fixtures/judge_expectations.ts";
import { finishedTest, recordedReport, startedAt, timeline } from "./report_of.ts";

const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
const fitsTest = ajv.compile(JSON.parse(testReportJsonSchema()));
const fitsRun = ajv.compile(JSON.parse(fixtureRunReportJsonSchema()));
const published = (value: unknown) => JSON.parse(JSON.stringify(value));

const at = (ms: number): string => new Date(startedAt + ms).toISOString();

t.test("a report fits its published schema, and one with a foreign or a missing field does not", (t) => {
  const report = published(recordedReport());
  t.equal(fitsTest(report), true, JSON.stringify(fitsTest.errors));
  t.equal(fitsTest({ ...report, colour: "red" }), false);
  const { git_state: _, ...reproduce } = report.reproduce;
  t.equal(fitsTest({ ...report, reproduce }), false);
  t.equal(fitsTest({ ...report, meta: { ...report.meta, status: "timeout" } }), false);
  t.end();
});

t.test("status, rate and places of matches are those of the expectations", (t) => {
  const { meta, expectations, timeline } = recordedReport();
  t.match(meta, { status: "partial", pass_rate: "2/3", timestamp: at(0), duration_ms: 500 });
  const [met, missed, said] = expectations;
  t.same(met!.matched_at, { sequence: 3, timestamp: at(250) });
  t.equal(timeline[2]!.type, "tool_call");
  t.equal(missed!.matched_at, undefined);
  t.match(missed!.failure_reason, /notes/);
  t.equal(timeline[said!.matched_at!.sequence - 1]!.type, "response");
  t.end();
});

t.test("the timeline has prompts, calls and responses with times, intents, results and hooks", (t) => {
  const { timeline } = recordedReport();
  t.match(timeline, [
    {
      seq: 1,
      type: "prompt",
      timestamp: at(0),
      intent: "Run the command /herbarium:report",
      content: "/herbarium:report --short",
      content_length: 25,
      hooks: [{ event: "SessionStart" }, { event: "UserPromptSubmit" }],
    },
    { seq: 2, type: "response", timestamp: at(250), duration_ms: 50, intent: "Announce the next step" },
    {
      seq: 3,
      type: "tool_call",
      timestamp: at(250),
      duration_ms: 150,
      tool: "Bash",
      intent: "Run cat .herbarium/config.yaml",
      output: { stdout: "mode: readonly", stderr: "", exit_code: 0 },
      hooks: [{ event: "PreToolUse" }, { event: "PostToolUse", failed: /no jq/ }],
    },
    {
      seq: 4,
      type: "response",
      timestamp: at(450),
      intent: "Give the final answer",
      hooks: [{ event: "Stop" }],
    },
  ]);
  t.equal(timeline.length, 4, "the end repeats the last response");
  t.end();
});

t.test("a failed shell command has its exit code, and what a subagent did stands in its lane", (t) => {
  const report = recordedReport({
    trace: {
      timeline: [
        timeline[1]!,
        { type: "turn", lane: "main", calls: [{ tool: "Agent", input: {} }] },
        {
          type: "tool_call",
          lane: "main",
          id: "call-1",
          tool: "Agent",
          input: { subagent_type: "herbarium:finder", description: "find ferns" },
          result: "none",
          is_error: false,
          hooks: [],
        },
        {
          type: "subagent",
          lane: "finder",
          id: "call-1",
          agent: "herbarium:finder",
          hooks: [{ event: "SubagentStart" }],
        },
        { type: "turn", lane: "finder", calls: [{ tool: "Bash", input: { command: "ls x" } }] },
        {
          type: "tool_call",
          lane: "finder",
          id: "call-2",
          tool: "Bash",
          input: { command: "ls x" },
          result: "Exit code 2\nls: x: No such file",
          is_error: true,
          hooks: [],
        },
        { type: "turn", lane: "main", calls: [], refused: "no turn is left" },
        { type: "end", hooks: [] },
      ],
    },
    test: {
      expectations: [{
        id: "exp-001",
        description: "",
        type: "subagent_event",
        expected: { event: "SubagentStart", agent: "herbarium:*" },
      }],
    },
  });
  t.match(report.timeline, [
    { type: "prompt" },
    {
      type: "tool_call",
      intent: "Delegate to the subagent herbarium:finder: find ferns",
      subagent: "herbarium:finder",
      hooks: [{ event: "SubagentStart" }],
    },
    { lane: "finder", output: { stdout: "", stderr: /No such file/, exit_code: 2 }, is_error: true },
    { type: "response", error: "no turn is left", content: "" },
  ]);
  t.equal(report.expectations[0]!.matched_at!.sequence, 2, "the call that started the subagent tells of it");
  t.equal(fitsTest(published(report)), true, JSON.stringify(fitsTest.errors));
  t.end();
});

t.test("a session that took too long is a fail with its reason", (t) => {
  const finished = finishedTest({ failures: ["the agent was stopped after 30 s: it took too long"] });
  const report = recordedReport({
    failures: ["the agent was stopped after 30 s: it took too long"],
    session: {
      ...finished.session!,
      stopped: "timed-out",
      exit: { code: null, signal: "SIGTERM", stderr: "…" },
    },
  });
  t.match(report.meta, { status: "fail", stopped: "timed-out", pass_rate: "2/4" });
  t.match(report.expectations.at(-1), { id: "session", status: "fail", failure_reason: /30 s/ });
  t.match(report.debug, { pytest_status: "fail", exit_code: null });
  t.equal(fitsTest(published(report)), true, JSON.stringify(fitsTest.errors));
  t.end();
});

t.test("a test without a session is reported, too", (t) => {
  const { session: _, ...finished } = finishedTest();
  const none = {
    trace: { format: "pth-agent-trace/1" as const, timeline: [], changes: [], warnings: [] },
    checks: {},
  };
  const report = recordedReport({
    ...finished,
    test: {},
    session: undefined as never,
    judgement: judgeExpectations([], none, ["the project cannot be made: no branch test/herbarium/dry"]),
  });
  t.match(report, {
    meta: { status: "fail", pass_rate: "0/1" },
    timeline: [],
    claude_response: { word_count: 0 },
  });
  t.equal(fitsTest(published(report)), true, JSON.stringify(fitsTest.errors));
  t.end();
});

t.test("long results are cut with what is missing, and a long trace is left out", (t) => {
  const call = timeline[3]! as Extract<typeof timeline[number], { type: "tool_call" }>;
  const long = { ...call, result: "x".repeat(600_000), input: { command: "y".repeat(70_000) } };
  const report = recordedReport({
    trace: { timeline: [...timeline.slice(0, 3), long, ...timeline.slice(4)] },
  });
  const entry = report.timeline[2]!;
  t.equal(entry.type, "tool_call");
  if (entry.type === "tool_call") t.match(entry.output!.stdout.slice(-40), /534,464 more characters/);
  t.equal(report.debug!.trace, undefined);
  t.ok(JSON.stringify(report).length < 300_000);
  t.end();
});

const other = (id: string, test: Partial<AgentTest> = {}, more: Parameters<typeof finishedTest>[0] = {}) =>
  recordedReport({ ...more, test: { id, ...test } });

t.test("a run adds up its tests, and keeps the statuses of earlier runs", (t) => {
  const met = { expectations: [] };
  const first = runOfTests([other("a", met), other("b")]);
  t.match(first, {
    status: "partial",
    summary: { total: 2, pass: 1, partial: 1, fail: 0, pass_rate: "2/3" },
  });
  const later = (days: number) => ({ startedAt: startedAt + days * 86_400_000 });
  const second = runOfTests([other("a", {}, later(1)), other("b", met, later(1))], [first]);
  const skipped = [{ test_id: "c", test_name: "c", tags: [], reason: "no network", file: "c.yaml", line: 1 }];
  const third = runReport([{
    name: "herbarium",
    description: "Plants",
    plugin: "/plugins/herbarium",
    tests: [other("a", met, later(2))],
    skipped,
  }], { earlier: [second, first], notes: ["b is gone"] });
  t.same(third.earlier.map(({ statuses }) => statuses), [
    { "herbarium/a": "pass", "herbarium/b": "partial" },
    { "herbarium/a": "partial", "herbarium/b": "pass" },
  ]);
  t.match(third, { status: "pass", summary: { total: 2, pass: 1, skipped: 1 } });
  t.equal(fitsRun(published(third)), true, JSON.stringify(fitsRun.errors));
  t.equal(fitsRun({ ...published(third), fixtures: {} }), false);
  t.match(runReport([]), { status: "fail", summary: { total: 0 } }, "a run without a test proves nothing");
  const ended = runReport(third.fixtures, { errors: ["herbarium: no environment"] });
  t.equal(ended.status, "partial", "a run that ended early has not passed");
  t.end();
});
