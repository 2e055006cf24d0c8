/** Judges one step of a test as soon as it was made. */
import type { CommandObservation, StepObservation, StepResult } from "../../../machines/model/observation.ts";
import type { CallOutcome, ToolDefinition } from "../../../machines/model/plugin.ts";
import type { StepAction, TestCase } from "../../../machines/model/test_case.ts";
import { count, oneLine, textExcerpt } from "../../core/text.ts";
import { judge, judgeCommands, type JudgeOptions } from "./judge.ts";
import { failingVerdict, type JudgedObservation, type TestIdentity } from "./failing_verdict.ts";
import { labelOfStep, stepWords } from "../format/step_words.ts";
import type { Verdict } from "../../../machines/model/verdict.ts";
import { JSONPathError } from "json-p3";
import { PthError } from "../../core/errors.ts";
import { jsonOutput } from "../match/json_output.ts";
import { captureText, isTextCapture } from "../match/capture_text.ts";
import { valuesAt } from "../match/values_at.ts";

interface StepJudgeInput {
  test: TestCase;
  /** Counts from 0. */
  index: number;
  seen: StepResult;
  commands: CommandObservation[];
  /** The called tool as `tools/list` gave it. */
  tool?: ToolDefinition;
}

/** The step's verdict, and what it captured where it holds. */
export function judgeStep(input: StepJudgeInput, options: JudgeOptions = {}): StepObservation {
  const { test, index, seen, commands } = input;
  const judged = viewOf(test, index, seen.action);
  const verdict = judgeAction(input, judged, options);
  const { values, problems } = verdict.status === "passed" && seen.outcome
    ? captureFrom(seen.outcome, test.steps![index]!.capture)
    : { values: {}, problems: [] };
  const uncaught = problems.length === 0
    ? undefined
    : judged.expect.well_behaved === true
    ? uncapturedVerdict(problems)
    : failingVerdict(judged, "wrong-output", `${judged.label}: cannot capture ${problems.join("\n")}`);
  return { ...seen, commands, captured: values, verdict: placed(uncaught ?? verdict, test, index) };
}

/** Skips: an answer that a generated step hands on was seen once, and no schema promises it. */
const uncapturedVerdict = (problems: readonly string[]): Verdict => ({
  status: "skipped",
  note: oneLine(`its answer has nothing for the next step: ${problems.join("; ")}`, 500),
  findings: [],
});

/** The step in the place of a test. */
function viewOf(test: TestCase, index: number, action: StepAction): TestIdentity {
  const { tool: _tool, control: _control, input: _input, steps, ...rest } = test;
  const { expect, verify } = steps![index]!;
  const label = labelOfStep(index, action);
  const { kind: _, ...params } = action;
  if (action.kind === "call") {
    return { ...rest, label, tool: action.tool, input: action.input, expect, verify };
  }
  return { ...rest, label, tool: stepWords(action), input: params, expect, verify };
}

function judgeAction(
  { test, index, seen, commands, tool }: StepJudgeInput,
  judged: TestIdentity,
  options: JudgeOptions,
): Verdict {
  const { cancel } = test.steps![index]!;
  const { action, outcome, cancelled } = seen;
  const observation: JudgedObservation = {
    commands,
    strayOutput: [],
    ...(outcome === undefined ? {} : { outcome }),
    ...(tool === undefined ? {} : { tool }),
    ...(action.kind === "call" ? {} : { noTool: true }),
  };
  const first = cancel ? judgeCancelling(judged, seen) : judgeScript(judged, seen);
  if (first) return first;
  if (cancelled) return noted(judgeCommands(judged, observation), `cancelled after ${cancelled.afterMs} ms`);
  if (outcome === undefined) return nothingCame(judged, action);
  const verdict = judge(judged, observation, options);
  return verdict.status === "passed" ? judgeLeftovers(judged, seen) ?? verdict : verdict;
}

/** A server that lives on has done its part, whether it goes on with the work or not. */
function judgeCancelling(judged: TestIdentity, { outcome, cancelled }: StepResult): Verdict | undefined {
  if (cancelled?.alive) return undefined;
  if (cancelled) {
    return failingVerdict(
      judged,
      "timeout",
      `${judged.label} hangs: it was cancelled after ${cancelled.afterMs} ms, and the server answers no ping any more`,
    );
  }
  const answer = outcome === undefined ? "" : `\n  actual: ${textExcerpt(outcome.text, 1000)}`;
  const ms = Math.round(outcome?.durationMs ?? 0);
  return failingVerdict(
    judged,
    "wrong-output",
    `${judged.label} was not cancelled: it was over after ${ms} ms, before it came to that${answer}`,
  );
}

/** Fails on requests of the server that the script does not answer. */
function judgeScript(judged: TestIdentity, { unscripted, outcome }: StepResult): Verdict | undefined {
  if (unscripted.length === 0) return undefined;
  const answer = outcome === undefined ? "" : `\n  actual: ${textExcerpt(outcome.text, 1000)}`;
  return failingVerdict(
    judged,
    "unexpected-side-effect",
    `${judged.label} asked the client for more than there are replies: ${unscripted.join(", ")}${answer}`,
  );
}

/** Fails on replies of the script that the server did not request. */
function judgeLeftovers(judged: TestIdentity, { unused, outcome }: StepResult): Verdict | undefined {
  const left = Object.entries(unused).filter(([, number]) => number > 0)
    .map(([kind, number]) => `${number} ${kind} ${number === 1 ? "reply" : "replies"}`);
  if (left.length === 0) return undefined;
  return failingVerdict(
    judged,
    "missing-side-effect",
    `${judged.label} did not ask the client: ${left.join(" and ")} left\n  actual: ${
      textExcerpt(outcome?.text ?? "", 1000)
    }`,
  );
}

function nothingCame(judged: TestIdentity, action: StepAction): Verdict {
  if (action.kind !== "wait_for") {
    return failingVerdict(
      judged,
      "missing-side-effect",
      `${judged.label}: the server did not confirm it in time`,
    );
  }
  const { notification, params, timeoutSeconds = 5 } = action;
  const how = params === undefined ? "" : ` with ${textExcerpt(params, 500)}`;
  return failingVerdict(
    judged,
    "missing-side-effect",
    `${judged.label}: no ${notification}${how} came within ${count(timeoutSeconds, "second")}`,
  );
}

const noted = (verdict: Verdict, note: string): Verdict => ({
  ...verdict,
  note: [note, verdict.note].filter(Boolean).join("; "),
});

/** A failure says where the step stands; a skip which step it was. */
function placed(verdict: Verdict, test: TestCase, index: number): Verdict {
  if (verdict.status === "passed") return verdict;
  const { line, column = 1, action } = test.steps![index]!;
  const place = test.file === undefined || line === undefined ? "" : `\n  at ${test.file}:${line}:${column}`;
  if (verdict.status === "skipped") {
    return noted(
      { ...verdict, failedStep: index, note: "" },
      `${labelOfStep(index, action)}: ${verdict.note}`,
    );
  }
  return { ...verdict, failedStep: index, message: `${verdict.message}${place}` };
}

/** Parts of an answer that a JSONPath can read: `$.output.id`, `$.content[0].text`, `$.isError` … */
interface CaptureSubject {
  /** `structuredContent`, else the text read as JSON, else the text. */
  output: unknown;
  text: string;
  content: unknown[];
  structuredContent: unknown;
  isError: boolean;
}

interface Captured {
  /** By variable; those that were not found are missing. */
  values: Record<string, unknown>;
  /** One text for each variable that could not be taken: the path, and what was there. */
  problems: string[];
}

function captureSubject(outcome: CallOutcome): CaptureSubject {
  const { text, isError, structuredContent } = outcome;
  const output = jsonOutput(outcome);
  return {
    output: output === undefined ? text : output.value,
    text,
    content: outcome.content ?? [],
    structuredContent: structuredContent ?? null,
    isError,
  };
}

/**
 * Takes variables out of an answer by JSONPath (RFC 9535), where one match gives its value and several give a list, or by
 * a pattern on its text. None is a problem.
 * @param capture Variable name to path or pattern; both were checked when the test was read.
 */
export function captureFrom(outcome: CallOutcome, capture: Record<string, string>): Captured {
  const values: Record<string, unknown> = {};
  const problems: string[] = [];
  const entries = Object.entries(capture);
  if (entries.length === 0) return { values, problems };
  const subject = captureSubject(outcome);
  for (const [name, path] of entries) {
    const found = lookUp(path, subject);
    if (typeof found === "string") problems.push(`${name}: ${found}`);
    else if (found.length === 0) problems.push(`${name}: nothing at ${path}\n  ${shown(subject)}`);
    else values[name] = found.length === 1 ? found[0] : found;
  }
  return { values, problems };
}

/** The matches, or why there can be none. */
function lookUp(path: string, subject: CaptureSubject): unknown[] | string {
  if (isTextCapture(path)) return [captureText(path, subject.text)].filter((found) => found !== undefined);
  try {
    return valuesAt(path, subject);
  } catch (error) {
    // A hostile answer may be too deep, or made for the path's own pattern: a failure of this test alone.
    if (error instanceof JSONPathError || error instanceof PthError) return `${path}: ${error.message}`;
    throw error;
  }
}

const shown = ({ output, structuredContent, text }: CaptureSubject): string =>
  output === text
    ? `output is text: ${textExcerpt(text, 1000)}`
    : `output${structuredContent === null ? " (text read as JSON)" : ""}: ${textExcerpt(output, 1000)}`;
