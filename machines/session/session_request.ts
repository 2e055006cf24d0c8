/** Requests to the session as it hears them, from outside and from its own children. */
import type { AnyActorRef } from "xstate";
import type { SessionCancellation, TaskType, UnsentRequests } from "./session_requests.ts";

export interface RequestOrigin {
  /** The child that asks, and is answered; absent: the outside, which hears what the session emits. */
  replyTo?: AnyActorRef;
  /** Id of the request to iterate, or to verify distributions, that it is a step of; absent: of none. */
  stepOf?: string;
}

export interface Requested extends RequestOrigin {
  requestId: string;
}

/** Requests that are answered with their id. */
export type AnsweredRequest = UnsentRequests[keyof UnsentRequests] & Requested;

export type TaskRequest = UnsentRequests[TaskType];

/** Requests that are steps of tasks. */
export type StepRequest = UnsentRequests[
  | TaskType
  | "session.abandon_environment"
  | "session.destroy_environment"
  | "session.load"
  | "session.provision"
  | "session.reload"
  | "session.rollback"
  | "session.snapshot"
  | "session.start_dependencies"
  | "session.stop_dependencies"
  | "session.unload"
  | "session.work"
];

export type SessionRequest =
  | AnsweredRequest
  | SessionCancellation
  /** A child has asked: it is told where nothing takes the request. */
  | ({ type: "session.expect_answer"; request: keyof UnsentRequests } & Requested)
  | { type: "session.end"; keep: boolean };
