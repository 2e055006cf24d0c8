/** The fixes of one iteration, one after the other: those given with the request, or what the fixer says to each cause. */
import type { FixStep } from "../../machines/iteration/iteration_setup.ts";
import type { DiagnosisReport } from "../../machines/model/diagnosis.ts";
import type { FixRequest } from "../../machines/model/fix.ts";
import { asPthError } from "../core/errors.ts";
import type { Fixer } from "../api/fixer.ts";

/** Root cause without a fix, and the reason. */
export interface ProposalRefusal {
  title: string;
  reason: string;
}

interface ProposalsInput extends FixStep {
  plugin: { name: string; folder: string };
  /** Makes the fixer of a command. */
  fixerOf: (command: string) => Fixer;
}

/** Each fix is made on top of the one before, which the caller has committed by then. @throws what cancels the fixer */
export async function* requestProposals(
  { run, diagnosis, records, number, plugin, fixerOf }: ProposalsInput,
  signal: AbortSignal,
): AsyncGenerator<FixRequest | ProposalRefusal> {
  if (run.fixes) return yield* run.fixes.map((fix) => categorized(fix, diagnosis));
  if (run.fixer === undefined || !diagnosis) return;
  const fixer = fixerOf(run.fixer);
  for (const group of diagnosis.groups) {
    const diagnoses = diagnosis.diagnoses.filter(({ testId }) => group.testIds.includes(testId));
    try {
      const proposal = await fixer({
        iteration: number,
        plugin,
        group,
        diagnoses,
        records,
        ...(run.distro === undefined ? {} : { distro: run.distro }),
      }, signal);
      yield proposal
        ? { ...proposal, category: group.category, tests: diagnoses.map(({ testName }) => testName) }
        : { title: group.cause, reason: "the fixer changed nothing and printed nothing" };
    } catch (error) {
      if (signal.aborted || asPthError(error).code !== "FIXER_FAILED") throw error;
      const { message, context: { output = "" } } = asPthError(error);
      yield { title: group.cause, reason: output === "" ? message : `${message}\n${output}` };
    }
  }
}

/** A fix that does not say its category has that of the first of its tests that was diagnosed. */
function categorized(fix: FixRequest, diagnosis: DiagnosisReport | undefined): FixRequest {
  const own = diagnosis?.diagnoses.find(({ testId, testName }) =>
    fix.tests.includes(testId) || fix.tests.includes(testName)
  );
  return own === undefined ? fix : { category: own.category, ...fix };
}
