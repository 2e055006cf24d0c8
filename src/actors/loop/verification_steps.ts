/** Slots of the verification machine: each step is a request to the session like any other (PTH design §5.6). */
import type {
  Look,
  LookStep,
  MendStep,
  ProvisionStep,
} from "../../../machines/distro_verification_machine.ts";
import type { EnvironmentConfig } from "../../../machines/model/environment.ts";
import type { IterationRun } from "../../../machines/model/iteration.ts";
import type { EntryLook, MatrixEntry } from "../../../machines/model/matrix.ts";
import { isLoadFailure } from "../../diagnosis/load_failure.ts";
import { asPthError, PthError } from "../../core/errors.ts";
import type { SessionCommands, VerificationPhase } from "../../api/harness.ts";
import { lookOf } from "./look_of.ts";
import { type MatrixEnvironment, otherThanAsked, ranWhere } from "../../matrix/ran_where.ts";
import { summarize } from "../../testing/report/summarize.ts";
import type { Stage } from "../promise_actor.ts";
import { type Step, type StepAccess, stepsOf, timed } from "./session_step.ts";
import { waysOn } from "../../core/way.ts";

export function verificationSteps(stage: Stage, commands: () => SessionCommands) {
  const step = stepsOf(stage, commands, "the verification");
  return { provision: step(timed(provision)), look: step(timed(look)), mend: step(timed(mend)) };
}

const announce = ({ live }: StepAccess, { name }: MatrixEntry, phase: VerificationPhase) =>
  live.publish({ type: "verification.phase", entry: name, phase });

/** A plugin that does not load there is what the look finds out. */
async function provision(
  access: StepAccess,
  { entry, phase }: ProvisionStep,
): Promise<{ environment: MatrixEnvironment }> {
  const { live, session, signal } = access;
  announce(access, entry, phase);
  const before = live.environment?.info.handle.environmentId;
  try {
    await session.reprovision(configOf(entry), {
      signal,
      ...(live.askConfig === undefined ? {} : { askConfig: live.askConfig }),
    });
  } catch (error) {
    // Whatever came before a new environment was there is no word about the plugin.
    const replaced = live.environment !== undefined && live.environment.info.handle.environmentId !== before;
    if (!replaced || !isLoadFailure(asPthError(error))) throw error;
  }
  signal.throwIfAborted();
  const environment = ranWhere(live.requireEnvironment().info);
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

const look: Step<Omit<Look, "ms">, LookStep> = (access, { entry, run, again }) => {
  const { fixer: _none, fixes: _not, maxIterations: _one, ...plain } = run;
  return iterate(access, entry, again ? { ...plain, scope: "failing" } : plain);
};

/** What is made on the primary one is for all; the loop asks the fixer about what just failed, then runs everything. */
const mend: Step<Omit<Look, "ms">, MendStep> = (access, { entry, run, fixes, phase }) => {
  announce(access, entry, "fixing");
  const { fixer: _none, maxIterations: _one, ...plain } = run;
  if (fixes !== undefined) return iterate(access, entry, { ...plain, fixes });
  return iterate(access, entry, { ...run, scope: "failing", distroOnly: phase === "verifying" });
};

async function iterate(
  { live, session, signal }: StepAccess,
  { distro }: MatrixEntry,
  run: IterationRun,
): Promise<Omit<Look, "ms">> {
  const asking = live.askConfig === undefined ? {} : { askConfig: live.askConfig };
  const outcome = await session.iterate({ ...run, distro }, { signal, ...asking });
  if (outcome.reason === "cancelled" && signal.aborted) {
    throw new PthError("INTERRUPTED", "Cannot finish the verification: it was cancelled");
  }
  const environment = ranWhere(live.requireEnvironment().info);
  const look = lookOf(session, environment, outcome.diagnosis?.groups ?? []);
  const { loadError } = outcome.standing;
  return { outcome, look: loadError === undefined ? look : notLoaded(look, loadError, live.loadFailure) };
}

/** Nothing was tested: what ran there before, with another fix, is no result of this look. */
const notLoaded = (
  { environment, groups }: EntryLook,
  message: string,
  failure: PthError | undefined,
): EntryLook => ({
  ...(environment === undefined ? {} : { environment }),
  results: [],
  summary: summarize([], 0),
  groups,
  error: { code: failure?.code ?? "START_FAILED", message, next: waysOn("mcp", failure?.context.next) },
});
