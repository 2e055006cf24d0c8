/** The fixes of one iteration, one after the other: those given with the request, or what the fixer says to each cause. */
import type { FixStep } from "../../machines/iteration_machine.ts";
import type { FixRequest } from "../../machines/model/fix.ts";
import { asPthError } from "../errors.ts";
import type { Fixer } from "./fixer.ts";

/** Why a cause gets no fix. */
export interface NoFix {
  title: string;
  reason: string;
}

export interface ProposalsInput extends FixStep {
  plugin: { name: string; folder: string };
  /** Makes the fixer of a command. */
  fixerOf: (command: string) => Fixer;
}

/** Each fix is made on top of the one before, which the caller has committed by then. @throws what cancels the fixer */
export async function* proposals(
  { run, diagnosis, records, number, plugin, fixerOf }: ProposalsInput,
  signal: AbortSignal,
): AsyncGenerator<FixRequest | NoFix> {
  if (run.fixes) return yield* run.fixes;
  if (run.fixer === undefined || !diagnosis) return;
  const fixer = fixerOf(run.fixer);
  for (const group of diagnosis.groups) {
    const diagnoses = diagnosis.diagnoses.filter(({ testId }) => group.testIds.includes(testId));
    try {
      const proposal = await fixer({ iteration: number, plugin, group, diagnoses, records }, signal);
      yield proposal
        ? { ...proposal, category: group.category, tests: diagnoses.map(({ testName }) => testName) }
        : { title: group.cause, reason: "the fixer changed nothing and printed nothing" };
    } catch (error) {
      if (signal.aborted || asPthError(error).code !== "FIXER_FAILED") throw error;
      yield { title: group.cause, reason: asPthError(error).message };
    }
  }
}
