/** Tries again what may only fail for a moment, each time after a longer pause. */
import { setTimeout as sleep } from "node:timers/promises";
import { errorMessage, PthError } from "../core/errors.ts";
import { readEnv } from "./host.ts";

export interface RetryOptions {
  /** Attempts after the first; see `retryBudget`. */
  retries: number;
  /** Whether the same work may succeed a moment later. */
  isTransient: (error: unknown) => boolean;
  /** Called before each pause. */
  onRetry: (message: string) => void;
  signal?: AbortSignal;
  /** Pause before the first retry, in ms; each further one is twice as long, up to 10 s. */
  firstPauseMs?: number;
}

const longestPauseMs = 10_000;

/** Resolves to what the work resolves to; rejects with its last error, which then tells how often it was tried. */
export async function withRetries<T>(work: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { retries, isTransient, onRetry, signal, firstPauseMs = 500 } = options;
  for (let retry = 0;; retry++) {
    try {
      return await work();
    } catch (error) {
      if (signal?.aborted || !isTransient(error)) throw error;
      if (retry >= retries) throw retry > 0 ? toldOf(error, retry + 1) : error;
      const pauseMs = Math.min(firstPauseMs * 2 ** retry, longestPauseMs);
      onRetry(`${errorMessage(error)}; trying again in ${pauseMs / 1000} s (${retry + 1} of ${retries})`);
      await sleep(pauseMs, undefined, signal ? { signal } : {});
    }
  }
}

function toldOf(error: unknown, attempts: number): unknown {
  if (!(error instanceof PthError)) return error;
  const { code, message, context } = error;
  const tried = [...context.tried ?? [], `${attempts} times, with longer and longer pauses`];
  return new PthError(code, message, { ...context, tried, attempts }, { cause: error });
}

/** Number of retries where none is requested: `PTH_RETRIES`, else 2. */
export function retryBudget(asked?: number): number {
  const given = asked ?? Number(readEnv("PTH_RETRIES") || "2");
  return Number.isInteger(given) && given >= 0 ? given : 2;
}
