/** Makes the actor of a slot from a function of the session's resources. */
import { type AnyEventObject, fromPromise, type PromiseActorLogic } from "xstate";
import { parentRef } from "../../machines/parent_ref.ts";
import { withRetries } from "../platform/retry.ts";
import type { SessionResources } from "./session_resources.ts";
import { isTransient } from "../diagnosis/table.ts";

/** The session on stage, looked up when a slot runs. */
export type GetSession = () => SessionResources;

/**
 * A promise slot whose work is waited for before anything is torn down, also when its machine has moved on.
 * `signal` fires when the machine leaves the state that invoked it; `tell` sends the machine an event until then.
 */
export const promiseActor = <Output, Input>(
  stage: GetSession,
  work: (
    live: SessionResources,
    input: Input,
    signal: AbortSignal,
    tell: (event: AnyEventObject) => void,
  ) => Promise<Output>,
): PromiseActorLogic<Output, Input> =>
  fromPromise<Output, Input>(({ input, signal, self }) => {
    const live = stage();
    const tell = (event: AnyEventObject) => {
      if (!signal.aborted) parentRef({ self }).send(event);
    };
    return live.tasks.track(
      work(live, input, signal, tell).catch((error) => toPublicError(live, error)),
    );
  });

/** A promise slot that is itself part of tearing down. */
export const closingActor = <Output, Input>(
  stage: GetSession,
  work: (live: SessionResources, input: Input) => Promise<Output>,
): PromiseActorLogic<Output, Input> =>
  fromPromise<Output, Input>(({ input }) => {
    const live = stage();
    return work(live, input).catch((error) => toPublicError(live, error));
  });

/** Work that is tried again while what it fails with may be over in a moment; each time is told as a step. */
export const withRetriedSource = <T>(
  live: SessionResources,
  phase: string,
  work: () => Promise<T>,
  signal?: AbortSignal,
): Promise<T> =>
  withRetries(work, {
    retries: live.limits.retries,
    isTransient,
    onRetry: live.progress.messages(phase),
    ...(signal ? { signal } : {}),
  });

/** Rejects with the failure as the outside gets it: with its facts and ways out, without secrets. */
export const toPublicError = async (live: SessionResources, error: unknown): Promise<never> => {
  throw live.secrets.redactError(await live.explain(error));
};
