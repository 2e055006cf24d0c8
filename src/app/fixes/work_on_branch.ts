/** Requests to the region `open.branch`: side by side from whoever asks, one after the other for the branch. */
import type { RequestOptions } from "../../api/harness.ts";
import { sendRequest, type SessionActor } from "../send_request.ts";
import type { SessionContext } from "../session/session_context.ts";

/** The latest request of each session, to be waited for by the next. */
const latest = new WeakMap<SessionActor, Promise<unknown>>();

/** A kind of work with its arguments, as `src/actors/branch/branch_work.ts` knows them. */
export function workOnBranch<Result>(
  { actor, live }: SessionContext,
  kind: string,
  args: object,
  { signal }: RequestOptions = {},
): Promise<Result> {
  const begin = () => {
    signal?.throwIfAborted();
    live.tasks.branchSignal = signal;
    return sendRequest<Result>(actor, { type: "session.work", kind, args: { ...args } }, { signal });
  };
  const before = latest.get(actor) ?? Promise.resolve();
  // How the one before ended is for its own caller to hear.
  const result = before.then(begin, begin);
  latest.set(actor, result);
  return result;
}
