import { PthError } from "../../core/errors.ts";
import type { AssertionResult } from "../assertion.ts";
import { checkAssertion, isOpenEnded } from "./assertion_table.ts";
import { oneLine, textExcerpt } from "../../core/text.ts";
import { refusalsDiffer, refusalsDifferNote, wasRefused } from "./refusals_differ.ts";
import { strayText } from "./join_noise.ts";
import { evaluateAbortedTest } from "./evaluate_aborted_test.ts";
import {
  failingVerdict,
  type JudgedObservation,
  skippingVerdict,
  subjectLabel,
  type TestIdentity,
} from "./failing_verdict.ts";
import type { Finding, Verdict } from "../../../machines/model/verdict.ts";

export interface JudgeOptions {
  /** Findings become failures. */
  strict?: boolean;
}

/**
 * The verdict on one test of a tool.
 * @throws {PthError} `INTERNAL` when nothing was observed; `INVALID_TEST_FILE` for an assertion that does not exist.
 */
export function judge(
  test: TestIdentity,
  observation: JudgedObservation,
  options: JudgeOptions = {},
): Verdict {
  const first = evaluateAbortedTest(test, observation) ?? judgeControl(test, observation) ??
    judgeProtocol(test, observation);
  if (first !== undefined) return first;
  const results = [...responseResults(test, observation, options), ...commandResults(observation)];
  const { strayOutput } = observation;
  if (strayOutput.length === 0 || !isOpenEnded(test)) return conclude(test, observation, results);
  const { status, note, ...otherwise } = conclude(test, { ...observation, strayOutput: [] }, results);
  const noise = `${subjectLabel(test)} ${strayText(strayOutput)}`;
  // What else is wrong with the answer would be lost behind the noise.
  if (status === "failed") {
    const all = [note, oneLine(noise)].filter(Boolean).join("; ");
    return { ...otherwise, status, note: all };
  }
  return {
    ...failingVerdict(test, "protocol-error", noise, { findings: otherwise.findings }),
    noise: {
      lines: strayOutput,
      firstCall: 0,
      started: [],
      otherwise: { status, ...(note === undefined ? {} : { note }) },
    },
  };
}

/** The verdict on `verify` commands alone. */
export const judgeCommands = (test: TestIdentity, observation: JudgedObservation): Verdict =>
  conclude(test, { ...observation, noTool: true }, commandResults(observation));

/** A negative test proves nothing while the tool refuses everything alike. */
function judgeControl(test: TestIdentity, observation: JudgedObservation): Verdict | undefined {
  const { control, outcome } = observation;
  if (test.control === undefined || (control !== undefined && !wasRefused(control, test.control.input))) {
    return undefined;
  }
  if (outcome !== undefined && (outcome.violations.length > 0 || isDecided(test, observation))) {
    return undefined;
  }
  const words = control === undefined ? "it was not made" : oneLine(control.text) || "(no words)";
  return skippingVerdict(`inconclusive: its control call was refused: ${words}`);
}

/** True if the tool refused the control call, and the bad input for another reason. */
const isDecided = (test: TestIdentity, { control, outcome }: JudgedObservation): boolean =>
  test.control !== undefined && control !== undefined && outcome !== undefined &&
  wasRefused(control, test.control.input) && wasRefused(outcome, test.input ?? {}) &&
  refusalsDiffer(test, outcome, control);

/** Violations that are faults in every test. */
function judgeProtocol(test: TestIdentity, observation: JudgedObservation): Verdict | undefined {
  const { outcome } = observation;
  if (outcome === undefined) {
    throw new PthError(
      "INTERNAL",
      `Cannot judge test ${test.id}: its call has neither an answer nor a failure`,
    );
  }
  const breach = outcome.violations[0];
  if (breach !== undefined) {
    const category = breach.kind === "output_schema" ? "schema-violation" : "protocol-error";
    const message = outcome.violations.map((violation) => violation.message).join("\n  ");
    return failingVerdict(
      test,
      category,
      `${subjectLabel(test)}: ${message}\n  answer: ${textExcerpt(outcome.raw, 1000)}`,
      {
        actual: outcome.raw,
      },
    );
  }
  return undefined;
}

interface Named {
  name: string;
  result: AssertionResult;
  usual: "wrong-output" | "missing-side-effect";
}

function responseResults(
  test: TestIdentity,
  observation: JudgedObservation,
  { strict = false }: JudgeOptions,
): Named[] {
  const { tool: definition, control } = observation;
  const subject = {
    tool: test.tool ?? "",
    input: test.input ?? {},
    outcome: observation.outcome!,
    strict,
    ...(definition === undefined ? {} : { definition }),
    ...(control === undefined ? {} : { control }),
  };
  const results: Named[] = [];
  for (const [key, expected] of Object.entries(withDefaults(test))) {
    const result = checkAssertion("response", key, expected, subject);
    results.push({ name: key, result, usual: "wrong-output" });
    // What follows from a call that failed would only bury the reason.
    if (key === "success" && !result.pass) break;
  }
  return results;
}

/** `success` first; it is true unless said otherwise or an error is expected (docs/test-format.md). */
function withDefaults(test: TestIdentity): Record<string, unknown> {
  const { success, ...others } = test.expect;
  if (isOpenEnded(test)) return others;
  const errorExpected = Object.keys(others).some((key) => key.startsWith("error_contains"));
  return { success: success ?? !errorExpected, ...others };
}

function commandResults({ commands }: JudgedObservation): Named[] {
  return commands.flatMap(({ command, result }) =>
    Object.entries({ expect_exit_code: 0, ...command.expect }).map(([key, expected]): Named => ({
      name: `verify "${oneLine(command.exec, 80)}"`,
      result: checkAssertion("command", key, expected, result),
      usual: "missing-side-effect",
    }))
  );
}

function conclude(test: TestIdentity, observation: JudgedObservation, results: Named[]): Verdict {
  const findings: Finding[] = results.flatMap(({ result }) => result.findings ?? []);
  const failures = results.filter(({ result }) => !result.pass);
  const [first] = failures;
  if (first !== undefined) {
    const text = failures.map(({ name, result }) => `${name}: ${result.message()}`).join("\n");
    const { expected, actual } = first.result;
    const unlisted = observation.tool === undefined && !observation.noTool
      ? "\n  tools/list has no tool of this name"
      : "";
    const facts = { expected, actual, findings };
    return failingVerdict(
      test,
      first.result.category ?? first.usual,
      `${subjectLabel(test)}: ${text}${unlisted}`,
      facts,
    );
  }
  const skip = results.find(({ result }) => result.skip !== undefined)?.result.skip;
  if (skip !== undefined) return { ...skippingVerdict(skip), findings };
  const notes = results.flatMap(({ result }) => result.note ?? []);
  if (isDecided(test, observation)) notes.push(refusalsDifferNote);
  if (observation.strayOutput.length > 0) {
    notes.push(`${subjectLabel(test)} ${oneLine(strayText(observation.strayOutput))}`);
  }
  return { status: "passed", findings, ...(notes.length > 0 ? { note: notes.join("; ") } : {}) };
}
