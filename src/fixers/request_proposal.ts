/** Proposals of one iteration, one after the other: the fixes given with the request, or those of a fixer for each cause. */
import type { ProposeStep } from "../../machines/iteration/iteration_setup.ts";
import type { DiagnosisReport } from "../../machines/model/diagnosis.ts";
import type { FixRequest } from "../../machines/model/fix.ts";
import type { RefusedFix } from "../../machines/iteration/iteration_state.ts";
import { asPthError } from "../core/errors.ts";
import { definedOnly } from "../core/values.ts";
import type { Fixer } from "../api/fixer.ts";

interface ProposalInput extends ProposeStep {
  plugin: { name: string; folder: string };
  /** Makes the fixer of a command. */
  fixerOf: (command: string) => Fixer;
}

/**
 * Gets the proposal that is next, or why there is none for its root cause; undefined after the last one. Each fix is made
 * on top of the one before, which the caller has committed by then.
 * @throws what cancels the fixer
 */
export async function requestProposal(
  { run, diagnosis, records, number, index, plugin, fixerOf }: ProposalInput,
  signal: AbortSignal,
): Promise<FixRequest | RefusedFix | undefined> {
  if (run.fixes) return run.fixes[index] && categorized(run.fixes[index], diagnosis);
  const group = diagnosis?.groups[index];
  if (run.fixer === undefined || diagnosis === undefined || group === undefined) return undefined;
  const diagnoses = diagnosis.diagnoses.filter(({ testId }) => group.testIds.includes(testId));
  const asked = {
    iteration: number,
    plugin,
    group,
    diagnoses,
    records,
    ...definedOnly({ distro: run.distro }),
  };
  try {
    const proposal = await fixerOf(run.fixer)(asked, signal);
    return proposal
      ? { ...proposal, category: group.category, tests: diagnoses.map(({ testName }) => testName) }
      : { title: group.cause, reason: "the fixer changed nothing and printed nothing" };
  } catch (error) {
    if (signal.aborted || asPthError(error).code !== "FIXER_FAILED") throw error;
    const { message, context: { output = "" } } = asPthError(error);
    return { title: group.cause, reason: output === "" ? message : `${message}\n${output}` };
  }
}

/** A fix that does not say its category has that of the first of its tests that was diagnosed. */
function categorized(fix: FixRequest, diagnosis: DiagnosisReport | undefined): FixRequest {
  const own = diagnosis?.diagnoses.find(({ testId, testName }) =>
    fix.tests.includes(testId) || fix.tests.includes(testName)
  );
  return own === undefined ? fix : { category: own.category, ...fix };
}
