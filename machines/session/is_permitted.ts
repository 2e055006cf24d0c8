/** Origin of a request: what the loop or the matrix works on is its own, until it is answered. */
import type { SessionContext } from "./session_model.ts";
import type { RequestOrigin } from "./session_requests.ts";

/** Ids of the requests to iterate and to verify distributions that are under way. */
export const loopRequests = ({ pending }: Pick<SessionContext, "pending">): string[] =>
  Object.keys(pending).filter((id) => ["iteration", "matrix"].includes(pending[id]!.part));

/**
 * Tells whether a request may change what a loop works on: no loop is under way, a child of the session asks, or the request
 * is a step of the loop that is under way. A step that a cancelled loop left behind is not a step of the next one.
 */
export function isPermitted(
  context: Pick<SessionContext, "pending">,
  { replyTo, stepOf }: RequestOrigin,
): boolean {
  const loops = loopRequests(context);
  return loops.length === 0 || replyTo !== undefined || (stepOf !== undefined && loops.includes(stepOf));
}
