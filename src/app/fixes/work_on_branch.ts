/** Requests to the region `open.branch`: side by side from whoever asks, one after the other for the branch. */
import type { RequestOptions } from "../../api/harness.ts";
import { sendRequest } from "../send_request.ts";
import type { SessionContext } from "../session/session_context.ts";

/** A kind of work with its arguments, as `src/actors/branch/branch_work.ts` knows them. */
export function workOnBranch<Result>(
  { actor }: Pick<SessionContext, "actor">,
  kind: string,
  args: object,
  { signal }: RequestOptions = {},
): Promise<Result> {
  return sendRequest<Result>(actor, { type: "session.work", kind, args: { ...args } }, {
    signal,
    onAbort: (requestId) => actor.send({ type: "session.cancel_work", requestId }),
  });
}
