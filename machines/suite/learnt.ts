/** Facts of tests that later tests of the same suite need. */
import type { Observation, PlannedTest } from "../model/observation.ts";
import type { CallOutcome } from "../model/plugin.ts";
import type { Verdict } from "../model/verdict.ts";

export interface Learnt {
  /** Answers to valid calls that negative tests need as control, the latest first. */
  controls: { key: string; outcome: CallOutcome }[];
  /** Tools that let a generated test time out, and the name of that test. */
  silent: Record<string, string>;
}

/** Most controls that are remembered: one for a tool that later tests need, as a rule. */
const remembered = 256;

const controlKey = (tool: string | undefined, input: unknown) => `${tool} ${JSON.stringify(input)}`;

/** A control is only asked whether it succeeded: its content need not be kept. */
export function controlOf({ outcome, loss, timedOut }: Observation): CallOutcome | undefined {
  const abridged = { raw: undefined, violations: [], durationMs: outcome?.durationMs ?? 0 };
  if (outcome) {
    return { ...abridged, kind: outcome.kind, text: outcome.text.slice(0, 400), isError: outcome.isError };
  }
  if (!loss && !timedOut) return undefined;
  const text = loss ? "the server ended" : "no answer in time";
  return { ...abridged, kind: "rpc_error", text, isError: true };
}

/** Whether the call of a test is the control call of another. */
export const isControlOf = (call: PlannedTest["test"], { control, tool }: PlannedTest["test"]): boolean =>
  control !== undefined && call.expect["well_behaved"] !== undefined && call.tool === tool &&
  controlKey(call.tool, call.input) === controlKey(tool, control.input);

export function findControl({ controls }: Learnt, { control, tool }: PlannedTest["test"]) {
  if (!control) return undefined;
  const key = controlKey(tool, control.input);
  return controls.find((known) => known.key === key)?.outcome;
}

/** Waiting again for a tool that has shown that it never answers tells nothing; tests by hand always run. */
export function foresee({ silent }: Learnt, planned: PlannedTest): PlannedTest {
  const { test: { tool }, openEnded } = planned;
  const first = tool !== undefined && openEnded && Object.hasOwn(silent, tool) ? silent[tool] : undefined;
  return first === undefined
    ? planned
    : { ...planned, skip: `not run: ${tool} gave no answer in "${first}"` };
}

/** With what a test's end has shown; `tests` are those of the suite. */
export function learn(
  { controls, silent }: Learnt,
  { test, openEnded }: PlannedTest,
  { verdict, observation }: { verdict: Verdict; observation: Observation },
  tests: readonly PlannedTest[],
): Learnt {
  const outcome = test.expect["well_behaved"] ? controlOf(observation) : undefined;
  const key = outcome && controlKey(test.tool, test.input);
  const isNeeded = outcome !== undefined &&
    tests.some(({ test: { tool, control } }) =>
      control !== undefined && tool === test.tool && controlKey(tool, control.input) === key
    );
  return {
    silent: verdict.category === "timeout" && test.tool && openEnded
      ? { [test.tool]: test.name, ...silent }
      : silent,
    controls: isNeeded
      ? [{ key: key!, outcome }, ...controls.filter((known) => known.key !== key).slice(0, remembered - 1)]
      : controls,
  };
}
