/** Slot `session.work`: work on the session branch, one piece at a time; each kind is a function of its own. */
import { type EventObject, fromCallback } from "xstate";
import type { WorkOnBranch } from "../../../machines/session/session_request.ts";
import { PthError } from "../../core/errors.ts";
import { checkpoint } from "./checkpoint.ts";
import { diagnoseWork } from "./diagnose_work.ts";
import { exportCi } from "./export_ci.ts";
import { fixWork } from "./fix_work.ts";
import { exportSessionActor } from "./export_session_actor.ts";
import type { SessionResources } from "../session_resources.ts";
import { type GetSession, toPublicError, withRetriedSource } from "../promise_actor.ts";
import { proposeFix } from "./propose_fix.ts";
import { saveContract } from "./save_contract.ts";
import { updateDocs } from "./update_docs.ts";

/** One kind of work; `args` come from `src/app/fixes/branch_commands.ts`, which knows their shape. */
export type BranchWork<Args, Result> = (
  live: SessionResources,
  args: Args,
  signal: AbortSignal,
) => Promise<Result>;

/** Every kind of work by its name; a kind is added with one entry here and one command in `branch_commands.ts`. */
const kinds: Record<string, BranchWork<never, unknown>> = {
  checkpoint,
  diagnose: diagnoseWork,
  export_ci: exportCi,
  ...fixWork,
  hand_over: exportSessionActor,
  propose_fix: proposeFix,
  save_contract: saveContract,
  update_docs: updateDocs,
};

/** Sends back `work.completed` or `work.failed`, also once it was cancelled or stopped: the work ends where it can. */
export const branchWork = (stage: GetSession) =>
  fromCallback<EventObject, WorkOnBranch>(({ input: { kind, args }, receive, sendBack }) => {
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
        async () => await workOf(kind)(live, args as never, stop.signal),
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

function workOf(kind: string): BranchWork<never, unknown> {
  const work = kinds[kind];
  if (!work) throw new Error(`Cannot do ${kind}: there is no such work`);
  return work;
}
