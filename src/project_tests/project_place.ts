/** The place where tests run: the project's folder on the host, or its copy in an environment. */
import type { Readable } from "node:stream";
import type { ExecResult } from "../../machines/model/environment_operations.ts";
import type { NextStep } from "../core/next_step.ts";
import type { Redactor } from "../core/redact.ts";
import type { ExitStatus } from "../platform/process.ts";
import type { ReadableFolder } from "../plugin/readable_folder.ts";
import type { ExecOptions } from "../runtimes/runtime.ts";

/** A command that runs tests. */
export interface StartedCommand {
  /** In the place. */
  readonly pid: number;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolves once it ended and what it said was read; a child that still holds its pipes does not delay it. Never rejects. */
  readonly exited: Promise<ExitStatus>;
}

export interface PlaceOptions {
  /** Absolute, or relative to the project's folder; default: that. */
  cwd?: string;
  env?: Record<string, string>;
}

export interface ProjectPlace {
  /** Absolute path of the project's folder. */
  readonly root: string;
  readonly folder: ReadableFolder;
  /** Description of the place, for the details file and for errors. */
  readonly kind: string;
  /** The project is a copy, in a place that has only what was installed there. */
  readonly isCopy: boolean;
  /** Way out where a program is missing there. */
  readonly install: (program: string) => NextStep;
  /** Absolute path of a new folder of PTH's own, outside of the project; `close` removes it. */
  makeScratch(): Promise<string>;
  /** Writes a file of PTH's own; folders that are missing are made. */
  write(path: string, text: string): Promise<void>;
  /** Runs a command to its end; an abort ends it with what it started. */
  exec(
    command: readonly string[],
    options?: PlaceOptions & Omit<ExecOptions, "cwd" | "env">,
  ): Promise<ExecResult>;
  /** Starts a command with nothing on its stdin. @throws {PthError} `EXEC_FAILED` */
  start(command: readonly string[], options?: PlaceOptions): Promise<StartedCommand>;
  /** Hands over what is appended to a file, from a byte on; `finish` resolves when all that is there was handed over. */
  follow(
    path: string,
    from: number,
    onBytes: (bytes: Uint8Array) => void,
  ): Promise<{ finish(): Promise<void> }>;
  /** Ends all that was started here, also what has left its parent; resolves when none is left. */
  endAll(): Promise<void>;
  /** Ends all, and removes what was made. */
  close(): Promise<void>;
  /** Takes out the secrets that are known here. */
  readonly redact: Redactor;
}
