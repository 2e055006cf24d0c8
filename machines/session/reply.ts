/** Requests that a session has accepted, and their answers. */
import type { AnyActorRef } from "xstate";
import type { SessionContext, SessionFact, SessionRegion } from "./session_model.ts";

export type Answer = Extract<SessionFact, { type: "request.completed" | "request.failed" }>;

/** Ids of the requests that the parts work on. */
export const pendingOf = ({ pending }: SessionContext, ...parts: SessionRegion[]): string[] =>
  Object.keys(pending).filter((requestId) => parts.includes(pending[requestId]!.part));
/** Requests that others than the part work on. */
export const withoutPart = ({ pending }: SessionContext, part: SessionRegion): SessionContext["pending"] =>
  Object.fromEntries(Object.entries(pending).filter(([, its]) => its.part !== part));

/** Answers the requester: a child by an event, others by an emitted fact. */
export function reply(
  { pending }: SessionContext,
  enqueue: { emit(answer: Answer): void; sendTo(child: AnyActorRef, answer: Answer): void },
  answer: Answer,
): void {
  const asker = pending[answer.requestId]?.replyTo;
  if (asker === undefined) enqueue.emit(answer);
  else enqueue.sendTo(asker, answer);
}

/** Whether evals, or the plugin's own tests, are under way. */
export const isEvaluating = (context: SessionContext): boolean => pendingOf(context, "evals").length > 0;
