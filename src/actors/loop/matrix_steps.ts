/** Slots of the matrix machine: each step is a request to the session like any other. */
import type {
  EntryTestResult,
  FixEntryStep,
  ProvisionStep,
  TestEntryStep,
} from "../../../machines/matrix_machine.ts";
import type { EnvironmentConfig } from "../../../machines/model/environment.ts";
import type { IterationRun } from "../../../machines/model/iteration.ts";
import type { EntryResult, MatrixEntry } from "../../../machines/model/matrix.ts";
import { isLoadFailure } from "../../diagnosis/load_failure.ts";
import { asPthError, PthError } from "../../core/errors.ts";
import type { Session } from "../../api/harness.ts";
import { definedOnly } from "../../core/values.ts";
import { entryResultOf } from "./entry_result.ts";
import { type MatrixEnvironment, otherThanAsked, ranWhere } from "../../matrix/ran_where.ts";
import { summarizeSuite } from "../../testing/report/results_verdict.ts";
import type { GetSession } from "../promise_actor.ts";
import { type SessionStep, type StepAccess, stepsOf, timed } from "./session_steps.ts";
import { nextStepsFor } from "../../core/next_step.ts";

export function matrixSteps(stage: GetSession, commands: () => Session, stepOf: () => string) {
  const step = stepsOf(stage, commands, stepOf, "the verification");
  return {
    provision: step(timed(provision)),
    testEntry: step(timed(testEntry)),
    fixEntry: step(timed(fixEntry)),
  };
}

/** A plugin that does not load there is what the look finds out. */
async function provision(
  access: StepAccess,
  { entry }: ProvisionStep,
): Promise<{ environment: MatrixEnvironment }> {
  const { live, session, signal, asking } = access;
  const before = live.environment.current?.info.handle.environmentId;
  try {
    await session.environment.reprovision(
      configOf(entry),
      definedOnly({ ...asking, askConfig: live.questions.ask }),
    );
  } catch (error) {
    // Whatever came before a new environment was there is no word about the plugin.
    const replaced = live.environment.current !== undefined &&
      live.environment.current.info.handle.environmentId !== before;
    if (!replaced || !isLoadFailure(asPthError(error))) throw error;
  }
  signal.throwIfAborted();
  const environment = ranWhere(live.environment.require().info);
  const other = otherThanAsked(entry, environment);
  if (environment.id === before || other !== undefined) {
    throw new PthError(
      "PROVISION_FAILED",
      `Cannot test on ${entry.name}: ${other ?? "it was not provisioned"}`,
    );
  }
  return { environment };
}

/** Without an image the runtime's own is meant, not that of the environment before. */
const configOf = ({ runtime, image }: MatrixEntry) =>
  ({ ...(runtime === undefined ? {} : { runtime }), baseImage: image }) as Partial<EnvironmentConfig>;

const testEntry: SessionStep<Omit<EntryTestResult, "ms">, TestEntryStep> = (
  access,
  { entry, run, again },
) => {
  const { fixer: _none, fixes: _not, maxIterations: _one, ...plain } = run;
  return iterate(access, entry, again ? { ...plain, scope: "failing" } : plain);
};

/**
 * Fixes a matrix entry. The primary entry's fixes are for all; the loop asks the fixer about the latest failures, then
 * runs everything.
 */
const fixEntry: SessionStep<Omit<EntryTestResult, "ms">, FixEntryStep> = (
  access,
  { entry, run, fixes, phase },
) => {
  const { fixer: _none, maxIterations: _one, ...plain } = run;
  if (fixes !== undefined) return iterate(access, entry, { ...plain, fixes });
  return iterate(access, entry, { ...run, scope: "failing", distroOnly: phase === "verifying" });
};

async function iterate(
  { live, session, signal, asking }: StepAccess,
  { distro }: MatrixEntry,
  run: IterationRun,
): Promise<Omit<EntryTestResult, "ms">> {
  const iterating = definedOnly({ ...asking, askConfig: live.questions.ask });
  const outcome = await session.loop.run({ ...run, distro }, iterating);
  if (outcome.reason === "cancelled" && signal.aborted) {
    throw new PthError("INTERRUPTED", "Cannot finish the verification: it was cancelled");
  }
  const environment = ranWhere(live.environment.require().info);
  const look = entryResultOf(session.tests, environment, outcome.diagnosis?.groups ?? []);
  const { loadError } = outcome.standing;
  return {
    outcome,
    look: loadError === undefined ? look : notLoaded(look, loadError, live.plugin.loadFailure),
  };
}

/** Result of an entry whose plugin did not load: earlier results, from before the latest fix, do not count. */
const notLoaded = (
  { environment, groups }: EntryResult,
  message: string,
  failure: PthError | undefined,
): EntryResult => ({
  ...(environment === undefined ? {} : { environment }),
  results: [],
  summary: summarizeSuite([], 0),
  groups,
  error: { code: failure?.code ?? "START_FAILED", message, next: nextStepsFor("mcp", failure?.context.next) },
});
