/** Origin of a request: what the loop or the matrix works on is its own, until it is answered. */
import { isEvaluating, pendingOf } from "./reply.ts";
import type { SessionContext } from "./session_model.ts";
import type { RequestOrigin } from "./session_requests.ts";

/** Whether a request to iterate, or to run a matrix, is under way. */
export const isLoopUnderWay = ({ pending }: Pick<SessionContext, "pending">): boolean =>
  Object.values(pending).some(({ part }) => part === "iteration" || part === "matrix");

/** Tells whether a request may change what a loop works on: no loop is under way, or a child of the session asks. */
export const isPermitted = (
  context: Pick<SessionContext, "pending">,
  { replyTo }: RequestOrigin,
): boolean => replyTo !== undefined || !isLoopUnderWay(context);

/** Tells whether a child of the session asks for the plugin's own tests: those are a step of a run of tests, after its suite. */
export const isStepOfTests = (context: SessionContext, { replyTo }: RequestOrigin): boolean =>
  replyTo !== undefined && !isEvaluating(context) && pendingOf(context, "load").length === 0;
