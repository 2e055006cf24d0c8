/** Makes the actors of slots of the loop and of the matrix. */
import { fromPromise, type PromiseActorLogic } from "xstate";
import type { Session } from "../../api/harness.ts";
import type { SessionResources } from "../../actors/session_resources.ts";
import { sessionCommands } from "../session/session_commands.ts";
import type { SessionParts } from "../session/session_parts.ts";

/** A slot's way to the session that it works for. */
export interface LoopStepAccess {
  context: SessionParts;
  live: SessionResources;
  /** The session's commands, which do not ask whether a loop is under way. */
  session: Session;
  /** Aborted when the machine leaves the slot's state. */
  signal: AbortSignal;
}

export const loopStepOf = (contextOf: () => SessionParts) =>
<Output, Input>(
  work: (access: LoopStepAccess, input: Input) => Promise<Output> | Output,
): PromiseActorLogic<Output, Input> =>
  fromPromise(async ({ input, signal }) => {
    const context = contextOf();
    const { live } = context;
    try {
      // What the machine emits as it enters the state is heard before the work begins.
      await Promise.resolve();
      signal.throwIfAborted();
      return await work({ context, live, session: sessionCommands(context), signal }, input);
    } catch (error) {
      throw live.secrets.redactError(error);
    }
  });

/** Measures a phase of several steps: from its first slot, or the end of the phase before. */
export class Stopwatch {
  #began = performance.now();

  restart(): void {
    this.#began = performance.now();
  }

  /** Milliseconds since the start, from which on the next phase is measured. */
  lap(): number {
    const began = this.#began;
    this.restart();
    return Math.round(this.#began - began);
  }
}
