/** Requests about the loop. */
import { assessConvergence } from "../../../machines/iteration/assess_convergence.ts";
import { remainingCauses } from "../../../machines/iteration/iteration_state.ts";
import type { IterationInput, IterationOutcome, IterationRun } from "../../../machines/model/iteration.ts";
import type { UnsentRequests } from "../../../machines/session/session_requests.ts";
import { PthError } from "../../core/errors.ts";
import type { IterationStatus, LoopCommands, RequestOptions } from "../../api/harness.ts";
import {
  statusesOf,
  summarizeTestStatus,
  type TestStatusSource,
} from "../../fixers/summarize_test_status.ts";
import { runTask } from "../run_task.ts";
import { type SessionParts, withProgress } from "../session/session_parts.ts";
import { iterationPhaseOf } from "./loop_refusal.ts";

type IterationCommands = Pick<LoopCommands, "run" | "status">;

export function iterationCommands(context: SessionParts, tests: TestStatusSource): IterationCommands {
  const { actor, live } = context;
  async function iterate(run: IterationRun, options: RequestOptions): Promise<IterationOutcome> {
    return await runTask(context, iterationRequest(context, tests, run), options);
  }

  function iterationStatus(): IterationStatus {
    const loop = actor.getSnapshot().context.iteration?.getSnapshot();
    const { records, last, turn } = { turn: undefined, ...historyOf(live), ...loop?.context };
    const groups = turn ? remainingCauses(turn.diagnosis?.groups ?? [], turn.after) : [];
    const { stale } = tests.results();
    return {
      iteration: Math.max(last, turn?.number ?? 0),
      phase: loop ? iterationPhaseOf(loop.value) : "idle",
      records,
      convergence: assessConvergence(records, groups),
      groups,
      ...(turn ? { standing: turn.after } : {}),
      ...(stale === undefined ? {} : { stale }),
      timings: live.progress.timings,
      operations: live.progress.operations.all(),
    };
  }

  return {
    run: (run, options = {}) => withProgress(context, options, () => iterate(run, options)),
    status: iterationStatus,
  };
}

/** Makes the request to iterate, as the tests stand now. @throws {PthError} `INVALID_INPUT`, and without an environment */
export function iterationRequest(
  { live }: SessionParts,
  tests: TestStatusSource,
  run: IterationRun,
): UnsentRequests["session.iterate"] {
  check(run);
  live.environment.require();
  return {
    type: "session.iterate",
    run,
    standing: summarizeTestStatus(tests, live.plugin.loadFailure?.message),
    statuses: statusesOf(tests),
    history: historyOf(live),
  };
}

/** Iterations of the session before it was interrupted. */
const historyOf = ({ code: { resumed } }: SessionParts["live"]): IterationInput => ({
  records: resumed?.records ?? [],
  last: resumed?.iteration ?? 0,
});

/** @throws {PthError} `INVALID_INPUT` */
function check({ fixes, fixer, maxIterations = 1, patience = 3 }: IterationRun): void {
  const problems = [
    ...[maxIterations, patience].some((figure) => !Number.isInteger(figure) || figure < 1)
      ? ["maxIterations and patience are whole numbers from 1 on"]
      : [],
    ...fixes?.length === 0 ? ["fixes is an empty list"] : [],
    ...fixes && fixer !== undefined ? ["both fixes and a fixer are given"] : [],
    ...fixer?.trim() === "" ? ["the fixer is an empty command"] : [],
  ];
  if (problems.length === 0) return;
  throw new PthError("INVALID_INPUT", `Cannot iterate: ${problems.join("; ")}`);
}
