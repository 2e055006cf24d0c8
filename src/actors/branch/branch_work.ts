/** Slot `session.work`: work on the session branch, one piece at a time; each kind is a function of its own. */
import { type EventObject, fromCallback } from "xstate";
import type {
  BranchWork,
  BranchWorkRequest,
  BranchWorkRequests,
} from "../../../machines/model/branch_work.ts";
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

/** Does each kind of work; a kind is added with one entry in `BranchWork`, and one here. */
const kinds: {
  [Kind in keyof BranchWork]: (
    live: SessionResources,
    args: BranchWork[Kind]["args"],
    signal: AbortSignal,
  ) => Promise<BranchWork[Kind]["result"]>;
} = {
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

const doWork = <Kind extends keyof BranchWork>(
  live: SessionResources,
  { kind, args }: BranchWorkRequests[Kind],
  signal: AbortSignal,
): Promise<BranchWork[Kind]["result"]> => kinds[kind](live, args, signal);
