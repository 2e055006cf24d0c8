/** Commands that an agent, or a channel each, runs in an environment. */
import type { Readable, Writable } from "node:stream";
import type { ExitStatus } from "../../../platform/process.ts";

export interface CommandRequest {
  command: readonly string[];
  /** Absolute. */
  cwd: string;
  /** Added to what the environment gives. */
  env: Record<string, string>;
  /** Whether anything will be written to it; else it sees the end of its stdin at once. */
  stdin: boolean;
}

/** A running command. None of its promises rejects; an end of undefined means that the connection was lost. */
export interface InsideCommand {
  readonly pid: number | undefined;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** The end of the process itself. */
  readonly ended: Promise<ExitStatus | undefined>;
  /**
   * The same, and all was said: its outputs are closed, or what it left behind holds them and is silent. Undefined also where
   * the connection was lost between its end and its last words.
   */
  readonly settled: Promise<ExitStatus | undefined>;
  /** Signals its group; SIGKILL also ends what left the group. One that is gone is no error. */
  signal(signal: NodeJS.Signals): Promise<void>;
  /** Drops further output. */
  discard(): void;
}

/** Variable that marks a command and all that it starts, so that they are found again to be ended. */
export const mark = "PTH_EXEC";
