/** Slot `session.work`: work on the session branch, one piece at a time; each kind is a function of its own. */
import { type EventObject, fromCallback } from "xstate";
import type {
  BranchWork,
  BranchWorkRequest,
  BranchWorkRequests,
} from "../../../machines/model/branch_work.ts";
import { PthError } from "../../core/errors.ts";
import type { SessionResources } from "../session_resources.ts";
import { type GetSession, toPublicError, withRetriedSource } from "../promise_actor.ts";

type Work<Kind extends keyof BranchWork> = (
  live: SessionResources,
  args: BranchWork[Kind]["args"],
  signal: AbortSignal,
) => Promise<BranchWork[Kind]["result"]>;

const fixWork = async () => (await import("./fix_work.ts")).fixWork;

/**
 * Loads each kind of work when it is asked for: a run without fixes needs none. A kind is added with one entry in
 * `BranchWork`, and one here.
 */
const kinds: { [Kind in keyof BranchWork]: () => Promise<Work<Kind>> } = {
  checkpoint: async () => (await import("./checkpoint.ts")).checkpoint,
  diagnose: async () => (await import("./diagnose_work.ts")).diagnoseWork,
  export_ci: async () => (await import("./export_ci.ts")).exportCi,
  check_fix: async () => (await fixWork()).check_fix,
  apply_fix: async () => (await fixWork()).apply_fix,
  check_revert: async () => (await fixWork()).check_revert,
  revert_fix: async () => (await fixWork()).revert_fix,
  fix_history: async () => (await fixWork()).fix_history,
  diff_session: async () => (await fixWork()).diff_session,
  show_fix: async () => (await fixWork()).show_fix,
  drop_fix_snapshot: async () => (await fixWork()).drop_fix_snapshot,
  drop_fix_snapshots: async () => (await fixWork()).drop_fix_snapshots,
  drop_fix_snapshots_since: async () => (await fixWork()).drop_fix_snapshots_since,
  hand_over: async () => (await import("./export_session_actor.ts")).exportSessionActor,
  propose_fix: async () => (await import("./propose_fix.ts")).proposeFix,
  save_contract: async () => (await import("./save_contract.ts")).saveContract,
  update_docs: async () => (await import("./update_docs.ts")).updateDocs,
};

/** Sends back `work.completed` or `work.failed`, also once it was cancelled or stopped: the work ends where it can. */
export const branchWork = (stage: GetSession) =>
  fromCallback<EventObject, BranchWorkRequest>(({ input, receive, sendBack }) => {
    const { kind } = input;
    const live = stage();
    const stop = new AbortController();
    const abort = () => stop.abort(new PthError("INTERRUPTED", `Cannot finish ${kind}: it was cancelled`));
    receive(({ type }) => {
      if (type === "work.cancel") abort();
    });
    const done = live.tasks.track(
      withRetriedSource(
        live,
        kind,
        async () => await doWork(live, input, stop.signal),
        stop.signal,
      )
        .catch((error) => toPublicError(live, error)),
    );
    done.then(
      (output) => sendBack({ type: "work.completed", output }),
      (error) => sendBack({ type: "work.failed", error }),
    );
    return abort;
  });

const doWork = async <Kind extends keyof BranchWork>(
  live: SessionResources,
  { kind, args }: BranchWorkRequests[Kind],
  signal: AbortSignal,
): Promise<BranchWork[Kind]["result"]> => await (await kinds[kind]())(live, args, signal);
