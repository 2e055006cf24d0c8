/** Makes the report of one agent test. */
import type { AgentFixture, AgentTest, AgentTestJudgement } from "../../../machines/model/agent_fixture.ts";
import type { AgentSessionResult, AgentTrace } from "../../../machines/model/agent_session.ts";
import { firstLine, oneLine } from "../../core/text.ts";
import { isObject } from "../../core/values.ts";
import { passRate } from "../judge_expectations.ts";
import type { EmbeddedTest } from "./embedded_files.ts";
import { previewLength, reportTimeline } from "./report_timeline.ts";
import type { TestReport, TimelineEntry } from "./report_schema.ts";
import { type PlaceOfTest, reproduceCommands } from "./reproduce_commands.ts";

/** A test that ran, with all that its report tells. */
export interface FinishedTest {
  fixture: Pick<AgentFixture, "name" | "plugin">;
  test: AgentTest;
  /** Absent: there was no session, and the judgement says why. */
  session?: Omit<AgentSessionResult, "recorded">;
  judgement: AgentTestJudgement;
  /** In ms since the epoch. */
  startedAt: number;
  durationMs: number;
  /** Files for the commands that reproduce the test (`embedTest`). */
  embedded: EmbeddedTest;
  /** State of the repository of the fixture (`gitStateOf`). */
  gitState: TestReport["reproduce"]["git_state"];
  place?: PlaceOfTest;
  /** Path of the trace, where it was written. */
  traceFile?: string;
  attempts?: number;
  /** Judgement of a reader, in Markdown. */
  assessment?: string;
}

/** Characters of a trace's JSON that a report holds. */
const longestTrace = 500_000;

const noTrace: AgentTrace = { format: "pth-agent-trace/1", timeline: [], changes: [], warnings: [] };

export function agentTestReport(finished: FinishedTest): TestReport {
  const { test, session, judgement, startedAt, durationMs } = finished;
  const trace = session?.trace ?? noTrace;
  const span = { at: startedAt, until: startedAt + durationMs };
  const { timeline, sequences } = reportTimeline(trace, session?.facts?.times ?? [], span);
  const { input, output } = session?.facts?.tokens ?? { input: 0, output: 0 };
  return {
    schema_version: "2.0",
    meta: metaOf(finished),
    reproduce: {
      ...reproduceCommands({
        fixture: finished.fixture.name,
        test,
        embedded: finished.embedded,
        place: finished.place,
        version: session?.version,
      }),
      git_state: finished.gitState,
    },
    execution: {
      prompt: test.prompt,
      model: test.model ?? "",
      tools_allowed: test.tools ?? [],
      session_id: session?.facts?.session ?? "",
      token_usage: { input, output, total: input + output },
      agent: test.agent,
      timeout_ms: test.timeoutMs,
      playbook: test.playbook !== undefined,
    },
    expectations: judgement.expectations.map(({ matchedAt, failureReason, expected, actual, ...each }) => ({
      ...each,
      expected: isObject(expected) ? expected : { value: expected },
      actual: actual ?? null,
      ...(matchedAt === undefined ? {} : placeOf(timeline, sequences[matchedAt])),
      ...(failureReason === undefined ? {} : { failure_reason: failureReason }),
    })),
    timeline,
    side_effects: {
      files_created: pathsOf(trace, "added"),
      files_modified: pathsOf(trace, "changed"),
      files_deleted: pathsOf(trace, "removed"),
      git_changes: session?.facts?.gitChanged ?? false,
    },
    claude_response: responseOf(trace),
    debug: debugOf(finished, trace),
    ...(finished.assessment === undefined ? {} : { agent_assessment: finished.assessment }),
  };
}

function metaOf(
  { fixture, test, session, judgement, startedAt, durationMs, attempts }: FinishedTest,
): TestReport["meta"] {
  return {
    test_id: test.id,
    test_name: test.name,
    description: test.description,
    timestamp: new Date(startedAt).toISOString(),
    duration_ms: durationMs,
    status: judgement.status,
    pass_rate: passRate(judgement.expectations),
    tags: test.tags,
    fixture: fixture.name,
    plugin: fixture.plugin,
    file: test.file,
    line: test.line,
    ...(session?.version === undefined ? {} : { agent_version: session.version }),
    ...(session?.stopped === undefined ? {} : { stopped: session.stopped }),
    ...(attempts === undefined ? {} : { attempts }),
  };
}

/** Place of a match; there is none in a session that has no timeline. */
function placeOf(timeline: readonly TimelineEntry[], sequence = 0): Pick<Expectation, "matched_at"> {
  const entry = timeline[sequence - 1];
  return entry === undefined ? {} : { matched_at: { sequence: entry.seq, timestamp: entry.timestamp } };
}

type Expectation = TestReport["expectations"][number];

const pathsOf = ({ changes }: AgentTrace, wanted: AgentTrace["changes"][number]["change"]): string[] =>
  changes.filter(({ change }) => change === wanted).map(({ path }) => path);

function responseOf({ timeline }: AgentTrace): TestReport["claude_response"] {
  const end = timeline.findLast((entry) => entry.type === "end");
  const text = end?.text ?? "";
  return {
    preview: oneLine(text, previewLength),
    full_text: text,
    word_count: text.split(/\s+/).filter((word) => word !== "").length,
  };
}

function debugOf({ session, judgement, traceFile }: FinishedTest, trace: AgentTrace): TestReport["debug"] {
  const told = [
    ...judgement.expectations.map(({ id, status, description, failureReason }) =>
      `${status.padEnd(4)}  ${id}  ${firstLine(description)}${
        failureReason === undefined ? "" : `\n      ${failureReason}`
      }`
    ),
    ...trace.warnings.map((warning) => `warning: ${warning}`),
  ];
  return {
    pytest_output: told.map((line) => `${line}\n`).join(""),
    pytest_status: judgement.status === "pass" ? "pass" : "fail",
    raw_trace_file: traceFile ?? "",
    ...(trace.warnings.length === 0 ? {} : { warnings: trace.warnings }),
    ...(session?.exit === undefined ? {} : { exit_code: session.exit.code, stderr: session.exit.stderr }),
    ...(session === undefined || JSON.stringify(trace).length > longestTrace ? {} : { trace }),
  };
}
