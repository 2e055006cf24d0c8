/** Sends a request of several steps, which the session works on as a task. */
import type { CallerType, SessionRequests } from "../../machines/session/session_requests.ts";
import type { RequestOptions } from "../api/harness.ts";
import { type RequestOf, sendRequest } from "./send_request.ts";
import type { SessionParts } from "./session/session_parts.ts";

/** A cancel goes to the step that is under way; what is done by then is compensated where that is possible. */
export async function runTask<Type extends CallerType>(
  { actor, callers }: Pick<SessionParts, "actor" | "callers">,
  request: RequestOf<Type>,
  { signal, askConfig }: RequestOptions,
): Promise<SessionRequests[Type]["result"]> {
  const requestId = crypto.randomUUID();
  callers.set(requestId, askConfig === undefined ? {} : { askConfig });
  try {
    return await sendRequest(actor, request, { signal, requestId });
  } finally {
    callers.delete(requestId);
  }
}
