/** Steps of a phase that are requests to the session like any other, as the loop's and the matrix machine's are. */
import { fromPromise, type PromiseActorLogic } from "xstate";
import { PthError } from "../../core/errors.ts";
import { abortSentinel, raceAbort } from "../../core/waiting.ts";
import type { RequestOptions, Session } from "../../api/harness.ts";
import type { SessionResources } from "../session_resources.ts";
import type { GetSession } from "../promise_actor.ts";

/** A step's way to the session that it works for. */
export interface StepAccess {
  live: SessionResources;
  session: Session;
  signal: AbortSignal;
  /** Options of what it asks for. */
  asking: Pick<RequestOptions, "signal" | "stepOf">;
}

export type SessionStep<Output, Input> = (access: StepAccess, input: Input) => Promise<Output>;

/**
 * Makes actors of a phase's steps. What a step asks for is waited for where it is done; a step itself ends at once when it
 * is not wanted any more, with `INTERRUPTED`.
 * @param stepOf gives the id of the request whose steps they are
 * @param what the phase, as in "Cannot finish the iteration: it was cancelled"
 */
export const stepsOf =
  (stage: GetSession, commands: () => Session, stepOf: () => string, what: string) =>
  <Output, Input>(work: SessionStep<Output, Input>): PromiseActorLogic<Output, Input> =>
    fromPromise(async ({ input, signal }) => {
      const live = stage();
      try {
        // Before a cancel can take the request away.
        const asking = { signal, stepOf: stepOf() };
        // What the machine emits as it enters the state is heard before the work begins.
        await Promise.resolve();
        return await unlessAborted(signal, what, work({ live, session: commands(), signal, asking }, input));
      } catch (error) {
        throw live.secrets.redactError(error);
      }
    });

/** With the milliseconds that it took. */
export const timed = <Output extends object, Input>(
  work: SessionStep<Output, Input>,
): SessionStep<Output & { ms: number }, Input> =>
async (access, input) => {
  const started = performance.now();
  return { ...await work(access, input), ms: Math.round(performance.now() - started) };
};

async function unlessAborted<T>(signal: AbortSignal, what: string, work: Promise<T>): Promise<T> {
  const first = await raceAbort(work, signal);
  if (first === abortSentinel) throw new PthError("INTERRUPTED", `Cannot finish ${what}: it was cancelled`);
  return first;
}
