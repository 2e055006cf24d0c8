/** Ctrl-C and its kin: once is a clean end, twice is the end. */
import { PthError } from "../core/errors.ts";
import type { CommandContext, Interrupt } from "./command.ts";

const exitCodes: Record<Interrupt, 130 | 143> = { SIGINT: 130, SIGTERM: 143, SIGHUP: 143 };

export interface Interruption {
  /** Aborts at the first signal, with an `INTERRUPTED` error as reason. */
  readonly signal: AbortSignal;
  /** 130 or 143 once interrupted. */
  exitCode(): number | undefined;
  /** The promise; once interrupted, for a short time more: work that is slow to stop does not hold up the cleaning. */
  race<T>(work: Promise<T>): Promise<T>;
  stop(): void;
}

/** Listens until `stop`. @param notice what is said at the first signal */
export function listenForInterrupts(
  context: Pick<CommandContext, "onInterrupt" | "stderr" | "exit">,
  notice = "Interrupted; cleaning up … (again to stop immediately)",
): Interruption {
  const controller = new AbortController();
  let code: number | undefined;
  const stop = context.onInterrupt((signal) => {
    if (code !== undefined) {
      context.stderr.write("\nStopped immediately. pth clean removes leftovers.\n");
      return context.exit(code);
    }
    code = exitCodes[signal];
    context.stderr.write(`\n${notice}\n`);
    controller.abort(new PthError("INTERRUPTED", `Cannot finish the run: interrupted by ${signal}`));
  });
  return {
    signal: controller.signal,
    exitCode: () => code,
    race: (work) => raceAbort(work, controller.signal),
    stop,
  };
}

/** Time in ms that interrupted work has to finish its reports. */
const graceMs = 1000;

function raceAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const abort = () => {
      timer = setTimeout(() => reject(signal.reason), graceMs);
    };
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
    const ended = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
    };
    work.then(resolve, reject).finally(ended);
  });
}
