/** Interface to start commands in a guest: by the agent, or by a channel each where there can be no agent. */
import type { Readable, Writable } from "node:stream";
import { PthError } from "../../core/errors.ts";
import type { ExitStatus } from "../../platform/process.ts";

export interface GuestRequest {
  command: readonly string[];
  /** Absolute. */
  cwd: string;
  /** Added to what the login gives. */
  env: Record<string, string>;
  /** Whether anything will be written to it; else it sees the end of its stdin at once. */
  stdin: boolean;
}

/** A command in a guest. None of its promises rejects; an end of undefined means that the connection was lost. */
export interface GuestCommand {
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

export interface GuestRunner {
  /** For people: "agent (Python 3.11.2)", "a channel per command: the guest has no python3". */
  readonly how: string;
  /** Whether it can start commands, as far as is known: an agent may end before its connection. */
  readonly isOpen: boolean;
  /** Undefined where nothing was asked of the guest, as it is not open any more. @throws {PthError} `ENVIRONMENT_LOST` */
  start(order: GuestRequest): Promise<GuestCommand | undefined>;
  /**
   * Ends what others had run, and their agents.
   * @param ids How their ids begin.
   * @throws {PthError} `ENVIRONMENT_LOST`
   */
  endOthers(ids: string): Promise<void>;
  /** Sets the guest's clock, in seconds since 1970; false where the connection was lost. @throws {PthError} `EXEC_FAILED` */
  setClock(seconds: number): Promise<boolean>;
}

export const clockRefused = (why: string): PthError =>
  new PthError("EXEC_FAILED", `Cannot set the guest's clock: ${why}`);

/** Variable that marks a command and all that it starts, so that they are found again to be ended. */
export const mark = "PTH_EXEC";
