/** Slot `session.work`: work on the session branch, one piece at a time; each kind is a function of its own. */
import { checkpoint } from "./checkpoint.ts";
import { diagnoseWork } from "./diagnose_work.ts";
import { exportCi } from "./export_ci.ts";
import { fixWork } from "./fix_work.ts";
import { exportSessionActor } from "./export_session_actor.ts";
import type { SessionResources } from "../session_resources.ts";
import { type GetSession, promiseActor, withRetriedSource } from "../promise_actor.ts";
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

export const branchWork = (stage: GetSession) =>
  promiseActor<unknown, { kind: string; args: Record<string, unknown> }>(
    stage,
    async (live, { kind, args }, signal) => {
      const work = kinds[kind];
      if (!work) throw new Error(`Cannot do ${kind}: there is no such work`);
      const cancelled = live.tasks.branchSignal ? AbortSignal.any([signal, live.tasks.branchSignal]) : signal;
      return await withRetriedSource(live, kind, () => work(live, args as never, cancelled), cancelled);
    },
  );
