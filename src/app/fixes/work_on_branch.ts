/** Requests to the region `open.branch`: side by side from whoever asks, one after the other for the branch. */
import type { BranchWork } from "../../../machines/model/branch_work.ts";
import type { RequestOptions } from "../../api/harness.ts";
import { sendBranchWork } from "../send_request.ts";
import type { SessionParts } from "../session/session_parts.ts";

/** Does one kind of work, once what was asked for before is done. */
export function workOnBranch<Kind extends keyof BranchWork>(
  { actor }: Pick<SessionParts, "actor">,
  kind: Kind,
  args: BranchWork[Kind]["args"],
  { signal }: RequestOptions = {},
): Promise<BranchWork[Kind]["result"]> {
  return sendBranchWork(actor, kind, args, { signal });
}
