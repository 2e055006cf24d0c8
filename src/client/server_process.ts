/** A server's process: how it ends by itself, and how it is ended. */
import type { CloseReport, ConnectionLoss } from "../../machines/model/plugin.ts";
import { collect, type ExitStatus } from "../platform/process.ts";
import type { EnvironmentProcess } from "../runtimes/runtime.ts";
import { abortSentinel, raceAbort, withDeadline } from "../core/waiting.ts";

/** Time in ms for a server to end once its stdin has ended, where its owner gives none. */
export const defaultGraceMs = 2000;
/** Time in ms for a server to end after SIGTERM, and again after SIGKILL. */
const signalGraceMs = 2000;
/** The same for the group of a process that SIGTERM alone did not end. */
const groupGraceMs = 500;
/** Time in ms to wait for the exit code after stdout ended; a container engine may report it late. */
const exitAfterEofMs = 3000;
const stderrBytes = 64 * 1024;

/** Cuts short what a server is given to end, also while it is waited for. */
export interface Hurry {
  /** Fires when the end of the server is of no interest any more. */
  signal: AbortSignal;
  /** Limit in ms on each wait for it from then on. */
  graceMs: number;
}

export interface ServerProcess {
  readonly pid: number | undefined;
  /** Resolves when it ended, or closed its stdout, by itself or not. */
  readonly gone: Promise<ConnectionLoss>;
  /** Last 64 KiB of stderr. */
  stderrTail(): string;
  /**
   * Ends it: stdin (`eof`), after `graceMs` SIGTERM for the process alone, as clients do, then for its group, then SIGKILL.
   * After `sigterm` others of its group may still run. Never throws for a process that is gone.
   */
  end(graceMs: number, politely: "eof" | "sigterm", hurry?: Hurry): Promise<Omit<CloseReport, "orphans">>;
}

/** Follows a process; reads its stderr from now on. `speaksOnStdout`: without its stdout it is of no use any more. */
export function followProcess(process: EnvironmentProcess, speaksOnStdout: boolean): ServerProcess {
  const stderr = collect(process.stderr, stderrBytes);
  let status: ExitStatus | undefined;
  const exited = process.exited.then((result) => status = result);
  const outputOver = new Promise<void>((resolve) => {
    if (speaksOnStdout) process.stdout.once("end", () => resolve());
  });

  const stderrTail = () => stderr.truncated() ? fromWholeLine(stderr.text()) : stderr.text();

  const describe = (): ConnectionLoss => ({
    reason: status === undefined ? "closed" : status.signal === null ? "exited" : "killed",
    exitCode: status?.code ?? null,
    signal: status?.signal ?? null,
    stderrTail: stderrTail(),
    message: status === undefined ? "the server closed its output" : exitText(status),
  });

  return {
    pid: process.pid,
    gone: Promise.race([exited, outputOver.then(() => withDeadline(exited, exitAfterEofMs))]).then(describe),
    stderrTail,
    async end(graceMs, politely, hurry) {
      const started = performance.now();
      const endsWithin = async (ms: number): Promise<boolean> => {
        const inTime = await raceAbort(withDeadline(exited, ms), hurry?.signal);
        return inTime === abortSentinel ? await withDeadline(exited, Math.min(ms, hurry!.graceMs)) : inTime;
      };
      const report = (how: CloseReport["how"]) => ({
        how,
        waitedMs: Math.round(performance.now() - started),
        exitCode: status?.code ?? null,
      });
      if (status !== undefined) return report("already-gone");
      process.stdin.end();
      if (politely === "eof" && await endsWithin(graceMs)) return report("stdin-eof");
      await withDeadline(process.kill("SIGTERM", "leader"), signalGraceMs);
      if (await endsWithin(politely === "eof" ? signalGraceMs : graceMs)) return report("sigterm");
      await withDeadline(process.kill("SIGTERM", "group"), signalGraceMs);
      if (await endsWithin(groupGraceMs)) return report("sigterm");
      await withDeadline(process.kill("SIGKILL"), signalGraceMs);
      await withDeadline(exited, signalGraceMs);
      return report("sigkill");
    },
  };
}

/** The group of a process that SIGTERM alone has ended: others of it may still run. */
export const groupLeft = (
  { how }: Pick<CloseReport, "how">,
  pid: number | undefined,
): { group?: number } => how === "sigterm" && pid !== undefined ? { group: pid } : {};

/** The first line is the rest of one; without any line's end it may be the rest of a word, and loses what could be that. */
function fromWholeLine(text: string): string {
  const end = text.indexOf("\n");
  return text.slice(end >= 0 ? end + 1 : 1024);
}

const exitText = ({ code, signal }: ExitStatus): string =>
  signal === null ? `exited with ${code}` : `ended by ${signal}`;
