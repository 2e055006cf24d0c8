/** Slots of the matrix machine: what is no request to the session. */
import type { ConfirmStep, EntryTestResult, Provisioned } from "../../../machines/matrix_machine.ts";
import type { EnvironmentConfig } from "../../../machines/model/environment.ts";
import type { IterationOutcome, IterationRun } from "../../../machines/model/iteration.ts";
import type { EntryResult, MatrixEntry } from "../../../machines/model/matrix.ts";
import { entryResultOf } from "./entry_result.ts";
import { PthError } from "../../core/errors.ts";
import { nextStepsFor } from "../../core/next_step.ts";
import { isLoadFailure } from "../../diagnosis/load_failure.ts";
import { otherThanAsked, ranWhere } from "../../matrix/ran_where.ts";
import { retryBudget } from "../../platform/retry.ts";
import { summarizeSuite } from "../../testing/report/results_verdict.ts";
import { prepareConfig } from "../environment/environment_commands.ts";
import { publicError } from "../send_request.ts";
import type { SessionParts } from "../session/session_parts.ts";
import { iterationRequest } from "./iteration_commands.ts";
import { type LoopStepAccess, loopStepOf, Stopwatch } from "./loop_step.ts";

export function matrixSteps(contextOf: () => SessionParts) {
  const step = loopStepOf(contextOf);
  const watch = new Stopwatch();
  /** Id of the environment before. */
  let before: string | undefined;
  return {
    configure: step(({ context, live }: LoopStepAccess, { entry }: { entry: MatrixEntry }) => {
      watch.restart();
      before = live.environment.current?.info.handle.environmentId;
      live.limits.retries = retryBudget(undefined);
      return prepareConfig(context, configOf(entry));
    }),
    confirm: step(({ context }: LoopStepAccess, input: ConfirmStep): Provisioned => ({
      environment: confirmEnvironment(context, input, before),
      ms: watch.lap(),
    })),
    prepare: step(({ context, session }: LoopStepAccess, { run }: { run: IterationRun }) => {
      watch.restart();
      return iterationRequest(context, session.tests, run);
    }),
    readEntry: step((
      access: LoopStepAccess,
      { outcome }: { outcome: IterationOutcome },
    ): EntryTestResult => ({
      outcome,
      look: readEntry(access, outcome),
      ms: watch.lap(),
    })),
  };
}

/** Without an image the runtime's own is meant, not that of the environment before. */
const configOf = ({ runtime, image }: MatrixEntry) =>
  ({ ...(runtime === undefined ? {} : { runtime }), baseImage: image }) as Partial<EnvironmentConfig>;

/**
 * A plugin that does not load there is for the tests to find out.
 * @throws {PthError} `PROVISION_FAILED` where the environment is not what was asked for, and what replacing it failed with
 */
function confirmEnvironment(
  context: SessionParts,
  { entry, failure }: ConfirmStep,
  before: string | undefined,
): Provisioned["environment"] {
  const { live } = context;
  if (failure !== undefined) {
    const error = publicError(failure, "Cannot provision environment");
    // Whatever came before a new environment was there is no word about the plugin.
    const replaced = live.environment.current !== undefined &&
      live.environment.current.info.handle.environmentId !== before;
    if (!replaced || !isLoadFailure(error)) throw error;
  }
  const environment = ranWhere(live.environment.require().info);
  const other = otherThanAsked(entry, environment);
  if (environment.id === before || other !== undefined) {
    throw new PthError(
      "PROVISION_FAILED",
      `Cannot test on ${entry.name}: ${other ?? "it was not provisioned"}`,
    );
  }
  return environment;
}

function readEntry(
  { live, session }: LoopStepAccess,
  { diagnosis, standing }: IterationOutcome,
): EntryResult {
  const environment = ranWhere(live.environment.require().info);
  const look = entryResultOf(session.tests, environment, diagnosis?.groups ?? []);
  return standing.loadError === undefined
    ? look
    : notLoaded(look, standing.loadError, live.plugin.loadFailure);
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
