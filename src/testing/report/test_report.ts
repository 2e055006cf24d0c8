/** Converts a test and its result to their form in the published report. */
import type { StepAction, TestCase, TestStep } from "../../../machines/model/test_case.ts";
import type { TestResult } from "../../../machines/model/test_result.ts";
import { definedOnly, roundToThousandth } from "../../core/values.ts";
import type { ReportStep, ReportTest } from "./report_schema.ts";
import { toolsOf } from "../run/test_plan.ts";

/** Whole microseconds: enough for a person, and short in the file. */
export const reportedMs = (milliseconds: number): number => roundToThousandth(Math.max(0, milliseconds));

/** @param test Absent where only the result is known. */
export function testReport(result: TestResult, test: TestCase | undefined): ReportTest {
  const tools = test === undefined ? [] : toolsOf(test);
  return definedOnly({
    id: result.id,
    entry: result.entry,
    name: result.name,
    description: test?.description,
    tier: result.tier,
    tool: result.tool,
    own: result.own,
    tools: result.tool === undefined && tools.length > 0 ? tools : undefined,
    status: result.status,
    category: result.category,
    note: result.note,
    started_at: isoTime(result.startedAt),
    duration_ms: reportedMs(result.durationMs),
    message: result.message,
    expected: result.expected,
    actual: result.actual,
    input: test?.input,
    steps: test?.steps?.map((step, index) => stepReport(step, index, result)),
    prompt: test?.prompt,
    checklist: test?.checklist,
    hang: result.hang,
    stderr: result.stderrTail,
    flakiness: result.flakiness,
    tags: test === undefined || test.tags.length === 0 ? undefined : test.tags,
    file: result.file,
    line: result.line,
    generated_from: result.generatedFrom,
    origin: test?.origin,
  }) as ReportTest;
}

/** ISO 8601; nothing for a time that is no time. */
export const isoTime = (epochMs: number): string | undefined =>
  Number.isFinite(epochMs) && Math.abs(epochMs) < 8e15 ? new Date(epochMs).toISOString() : undefined;

function stepReport(step: TestStep, index: number, result: TestResult): ReportStep {
  const captures = Object.keys(step.capture);
  return definedOnly({
    action: step.action.kind,
    target: reportTarget(step.action),
    input: inputOf(step.action),
    captures: captures.length === 0 ? undefined : captures,
    status: stepStatus(index, result),
    line: step.line,
  }) as ReportStep;
}

function reportTarget(action: StepAction): string {
  switch (action.kind) {
    case "call":
      return action.tool;
    case "get_prompt":
      return action.prompt;
    case "wait_for":
      return action.notification;
    default:
      return action.uri;
  }
}

function inputOf(action: StepAction): Record<string, unknown> | undefined {
  if (action.kind === "call") return action.input;
  if (action.kind === "get_prompt") return action.arguments;
  return action.kind === "wait_for" ? action.params : undefined;
}

/** Steps run in order and end at the first that fails. */
function stepStatus(index: number, { status, failedStep }: TestResult): ReportStep["status"] {
  if (status === "skipped") return "not_run";
  if (status === "passed" || status === "flaky") return "passed";
  if (failedStep === undefined) return undefined;
  return index < failedStep ? "passed" : index === failedStep ? "failed" : "not_run";
}
