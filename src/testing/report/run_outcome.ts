/** The outcome of a run, as one value: exit code, reports and texts are read from it, so that they cannot disagree. */
import type { ToolExercise } from "../../../machines/model/tool_exercise.ts";
import type { SuiteSummary } from "../../../machines/model/test_result.ts";
import { count } from "../../core/text.ts";

/**
 * "cancelled": a signal ended it. "broken": it could not do its work. "empty": no test ran. "untested": all were skipped, so
 * that nothing is shown, though nothing failed. "unexercised": nothing failed, but no tool was exercised, where that was
 * asked for.
 */
export type RunState = "passed" | "failed" | "unexercised" | "untested" | "empty" | "broken" | "cancelled";

export interface RunOutcome {
  state: RunState;
  exitCode: number;
  /** One sentence without a full stop. */
  text: string;
}

type Figures = Pick<SuiteSummary, "total" | "passed" | "failed" | "skipped" | "flaky">;

interface EndedRun {
  /** Absent: it never came to tests. */
  summary?: Figures | undefined;
  /** Exit code of the error that ended the run before its tests did. */
  error?: { exitCode: number } | undefined;
  /** Exit code of the signal that ended it. */
  interrupted?: number | undefined;
  /** True where no tool was exercised in a run that is about all of them. */
  unexercised?: boolean;
}

const nothing: Figures = { total: 0, passed: 0, failed: 0, skipped: 0, flaky: 0 };

/** Puts what ended a run early before the verdict of its tests: they are not all. */
export function runOutcome(
  { summary = nothing, error, interrupted, unexercised = false }: EndedRun,
): RunOutcome {
  const { total, passed, failed, skipped, flaky } = summary;
  if (interrupted !== undefined) {
    return { state: "cancelled", exitCode: interrupted, text: "The run was interrupted" };
  }
  if (error !== undefined) {
    return { state: "broken", exitCode: error.exitCode, text: "The run ended before its tests did" };
  }
  if (failed > 0) {
    return { state: "failed", exitCode: 1, text: `${failed} of ${count(total, "test")} failed` };
  }
  if (unexercised) return { state: "unexercised", exitCode: 1, text: "No tool was exercised" };
  if (total === 0) return { state: "empty", exitCode: 0, text: "No test ran" };
  if (passed + flaky === 0) {
    const text = `Nothing failed, nothing passed: ${count(skipped, "test")} skipped`;
    return { state: "untested", exitCode: 0, text };
  }
  const all = skipped === 0 && flaky === 0;
  return {
    state: "passed",
    exitCode: 0,
    text: all ? `All ${count(total, "test")} passed` : "No test failed",
  };
}

/** Whether there are tools, and tests exercised none of them. */
export const noneExercised = (exercise: readonly Pick<ToolExercise, "state">[]): boolean =>
  exercise.length > 0 && exercise.every(({ state }) => state !== "exercised");

/** Codes that a shell gives what a signal ended. */
const signalled = (exitCode: number): boolean => exitCode > 128;

/** Outcome of a run read from a report: its exit code says what its figures cannot. */
export function writtenOutcome(
  { summary, error, exitCode, exercise = [] }: {
    summary: Figures;
    error?: unknown;
    exitCode: number;
    exercise?: readonly Pick<ToolExercise, "state">[] | undefined;
  },
): RunOutcome {
  const interrupted = signalled(exitCode) ? exitCode : undefined;
  return runOutcome({
    summary,
    interrupted,
    error: error !== undefined || exitCode > 1 ? { exitCode } : undefined,
    unexercised: exitCode === 1 && noneExercised(exercise),
  });
}
