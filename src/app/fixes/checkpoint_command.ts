/** Saves where the session stands on its branch. */
import { assessConvergence } from "../../../machines/iteration/assess_convergence.ts";
import type { CheckpointArgs } from "../../../machines/model/branch_work.ts";
import { errorMessage } from "../../core/errors.ts";
import type { IterationStatus, LoopCommands, LoopProgress, RequestOptions } from "../../api/harness.ts";
import { definedOnly } from "../../core/values.ts";
import { savedResults } from "../tests/resumed_results.ts";
import { lastLoad, type SessionParts } from "../session/session_parts.ts";
import { workOnBranch } from "./work_on_branch.ts";
import type { SessionProgress } from "../../../machines/model/session_state.ts";

export function checkpointCommand(context: SessionParts): Pick<LoopCommands, "checkpoint"> {
  return {
    checkpoint: (progress, options) => save(context, progress, options),
  };
}

/** Arguments of the work `checkpoint`: the state to save. */
export const checkpointArgs = (context: SessionParts, progress: LoopProgress): CheckpointArgs => ({
  progress: progressOf(context, progress),
  ...statuses(context),
  load: asked(context),
  ...measured(context),
});

const save = (context: SessionParts, progress: LoopProgress, options: RequestOptions = {}) =>
  workOnBranch(context, "checkpoint", checkpointArgs(context, progress), options);

/**
 * Saves the state after a request outside the loop, so that it outlives a kill. If saving fails, the request has
 * succeeded all the same, and the failure is reported.
 */
export async function saveWhatIsKnown(context: SessionParts, status: () => IterationStatus): Promise<void> {
  if (context.live.mode !== "session") return;
  try {
    const { records, groups } = status();
    await save(context, { records, causes: groups });
  } catch (error) {
    noteUnsaved(context, error);
  }
}

export const noteUnsaved = ({ live }: SessionParts, error: unknown): void =>
  live.progress.note(`The session's state could not be saved on its branch: ${errorMessage(error)}`);

const asked = (context: SessionParts): NonNullable<CheckpointArgs["load"]> => {
  const { build, install, command, server } = lastLoad(context) ?? {};
  return definedOnly({ build, install, command, server });
};

function progressOf({ live }: SessionParts, { records, causes }: LoopProgress): SessionProgress {
  return {
    iteration: Math.max(records.at(-1)?.number ?? 0, live.code.resumed?.iteration ?? 0),
    trend: records.length === 0
      ? live.code.resumed?.trend ?? "untested"
      : assessConvergence(records, causes).trend,
    causes: causes.map(({ id, category, cause, testIds }) => ({ id, category, cause, tests: testIds })),
    records,
  };
}

/** Statuses of the tests; those from before the session was resumed for tests that have not run since. */
function statuses({ tests, results, live }: SessionParts): Pick<CheckpointArgs, "tests" | "commits"> {
  const known = new Map(
    live.code.resumed === undefined ? [] : savedResults(live.code.resumed).map((one) => [one.id, one]),
  );
  const commits: string[] = [];
  const placeOf = (commit: string) =>
    commits.includes(commit) ? commits.indexOf(commit) : commits.push(commit) - 1;
  const entries = tests.all.flatMap(({ id }) => {
    const result = results.latest.get(id) ?? known.get(id);
    if (result === undefined) return [];
    const { status, category, commit } = result;
    const of = commit === undefined ? undefined : placeOf(commit);
    return [[id, definedOnly({ status, category, of })] as const];
  });
  return { tests: Object.fromEntries(entries), commits };
}

const measured = ({ measurements: { reports, commits } }: SessionParts): Partial<CheckpointArgs> =>
  definedOnly({ matrix: reports.matrix, performance: reports.performance, measuredOf: commits });
