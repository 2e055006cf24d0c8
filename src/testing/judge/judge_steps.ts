/** Judges a test of several steps, each of which was judged when it was made. */
import type { StepAction, TestCase } from "../../../machines/model/test_case.ts";
import { judgeCommands } from "./judge.ts";
import { evaluateAbortedTest } from "./evaluate_aborted_test.ts";
import type { JudgedObservation, TestIdentity } from "./failing_verdict.ts";
import { labelOfStep } from "../format/step_words.ts";
import type { Verdict } from "../../../machines/model/verdict.ts";

/**
 * The verdict on the whole: of the step that did not hold, of what cut the test short, else of its own `verify`
 * commands.
 */
export function judgeSteps(test: TestCase, observation: JudgedObservation): Verdict {
  const { steps = [] } = observation;
  const last = steps.at(-1)?.verdict;
  const accident = evaluateAbortedTest(viewOf(test, steps.length), observation);
  if (accident) return withStep(accident, test, observation);
  if (last && last.status !== "passed") return { ...last, findings: findingsOf(observation) };
  const whole = judgeCommands(viewOf(test, test.steps!.length), observation);
  const notes = [
    whole.note,
    ...steps.flatMap(({ verdict, action }, index) =>
      verdict.note === undefined ? [] : [`${labelOfStep(index, action)}: ${verdict.note}`]
    ),
    ...checklistNote(test),
  ].filter((note) => note !== undefined);
  return {
    ...whole,
    findings: [...findingsOf(observation), ...whole.findings],
    ...(notes.length === 0 ? {} : { note: notes.join("; ") }),
  };
}

/** The step under way in the place of a test; behind the last one the test as a whole. */
function viewOf(test: TestCase, index: number): TestIdentity {
  const { tool: _tool, input: _input, control: _control, ...rest } = test;
  const step = test.steps![index];
  if (step === undefined) return { ...rest, label: "the test" };
  const { action, expect } = step;
  return { ...rest, label: labelOfStep(index, action), input: inputOf(action), expect };
}

const inputOf = (action: StepAction): Record<string, unknown> => {
  if (action.kind === "call") return action.input;
  const { kind: _, ...params } = action;
  return params;
};

/** A step that was cut short is the one that failed; before the first and behind the last there is none. */
function withStep(
  verdict: Verdict,
  test: TestCase,
  { steps = [], setupFailure }: JudgedObservation,
): Verdict {
  const step = setupFailure === undefined ? test.steps![steps.length] : undefined;
  if (step === undefined) return verdict;
  const place = test.file === undefined || step.line === undefined
    ? ""
    : `\n  at ${test.file}:${step.line}:${step.column ?? 1}`;
  return {
    ...verdict,
    failedStep: steps.length,
    ...(verdict.message === undefined ? {} : { message: `${verdict.message}${place}` }),
  };
}

const findingsOf = ({ steps = [] }: JudgedObservation): Verdict["findings"] =>
  steps.flatMap(({ verdict }) => verdict.findings);

/** A checklist cannot be checked by a command: the reader of the result judges it. */
const checklistNote = ({ checklist = [] }: TestCase): string[] =>
  checklist.length === 0
    ? []
    : [`to be judged by a person or an agent:${checklist.map((item) => `\n  - ${item}`).join("")}`];
