/** Sends a request of several steps, which the session works on as a task. */
import type { TaskRequest } from "../../machines/session/session_request.ts";
import type { RequestOptions } from "../api/harness.ts";
import { sendRequest } from "./send_request.ts";
import type { SessionContext } from "./session/session_context.ts";

/** A cancel goes to the step that is under way; what is done by then is compensated where that is possible. */
export async function runTask<Result>(
  { actor, callers }: Pick<SessionContext, "actor" | "callers">,
  request: TaskRequest,
  { signal, askConfig }: RequestOptions,
): Promise<Result> {
  const requestId = crypto.randomUUID();
  callers.set(requestId, askConfig === undefined ? {} : { askConfig });
  try {
    return await sendRequest<Result>(actor, request, {
      signal,
      requestId,
      onAbort: (id) => actor.send({ type: "session.cancel_request", id }),
    });
  } finally {
    callers.delete(requestId);
  }
}
