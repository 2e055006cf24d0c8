/** How a slot is filled: with a function of the session's living things. */
import { fromPromise, type PromiseActorLogic } from "xstate";
import type { LiveSession } from "./live_session.ts";

/** The session on stage, looked up when a slot runs. */
export type Stage = () => LiveSession;

/**
 * A promise slot whose work is waited for before anything is torn down, also when its machine has moved on.
 * `signal` fires when the machine leaves the state that invoked it.
 */
export const promiseActor = <Output, Input>(
  stage: Stage,
  work: (live: LiveSession, input: Input, signal: AbortSignal) => Promise<Output>,
): PromiseActorLogic<Output, Input> =>
  fromPromise<Output, Input>(({ input, signal }) => {
    const live = stage();
    return live.track(
      work(live, input, signal).catch((error) => Promise.reject(live.withoutSecrets(error))),
    );
  });

/** A promise slot that is itself part of tearing down. */
export const closingActor = <Output, Input>(
  stage: Stage,
  work: (live: LiveSession, input: Input) => Promise<Output>,
): PromiseActorLogic<Output, Input> =>
  fromPromise<Output, Input>(({ input }) => {
    const live = stage();
    return work(live, input).catch((error) => Promise.reject(live.withoutSecrets(error)));
  });
