/**
 * An actor as recordings tell of it. Entries that are remembered refer to this and not to the actor: with each of those its
 * state, its mailbox and all that it was given would stay in memory for as long.
 */
import { type AnyActorRef, StateMachine } from "xstate";

export class RecordedActor {
  readonly sessionId: string;
  readonly id: string;
  /** Session id of the actor that started it. */
  readonly parent: string | undefined;
  /** Id of the machine that it runs; undefined for work. */
  readonly machine: string | undefined;
  /** The slot that it fills; for work only. */
  readonly slot: string | undefined;

  constructor(actor: AnyActorRef) {
    const { logic, src, _parent } = actor as { logic?: unknown; src?: unknown; _parent?: AnyActorRef };
    this.sessionId = actor.sessionId;
    this.id = actor.id;
    this.parent = _parent?.sessionId;
    this.machine = logic instanceof StateMachine ? logic.id : undefined;
    this.slot = this.machine === undefined && typeof src === "string" ? src : undefined;
  }
}
