/** Facts of tests that later tests of the same suite need. */
import type { Observation, PlannedTest } from "../model/observation.ts";
import type { CallOutcome } from "../model/plugin.ts";
import type { Verdict } from "../model/verdict.ts";

export interface Learnt {
  /** The latest answers to valid calls, for negative tests that need one as control. */
  controls: { key: string; outcome: CallOutcome }[];
  /** Tools that let a generated test time out, and the name of that test. */
  silent: Record<string, string>;
}

/** Tests of one tool follow each other, so few controls need to be remembered. */
const remembered = 32;

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

/** With what a test's end has shown. */
export function learn(
  { controls, silent }: Learnt,
  { test, openEnded }: PlannedTest,
  { verdict, observation }: { verdict: Verdict; observation: Observation },
): Learnt {
  const outcome = controlOf(observation);
  return {
    silent: verdict.category === "timeout" && test.tool && openEnded
      ? { [test.tool]: test.name, ...silent }
      : silent,
    controls: outcome && test.expect["well_behaved"]
      ? [{ key: controlKey(test.tool, test.input), outcome }, ...controls.slice(0, remembered - 1)]
      : controls,
  };
}
