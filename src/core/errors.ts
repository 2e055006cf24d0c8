/**
 * The one error class of PTH and the table of its codes.
 *
 * The text of an error reads "action, colon, state": `Cannot start plugin: exited with 1 before initialize`.
 * Errors are thrown where they are known, and caught once, at the edge (CLI, MCP server).
 */

import type { NextStep } from "./next_step.ts";

export type { NextStep };

/** Exit code of the CLI for an error of this family: wrong use (2) or something that could not start (3). */
export type ExitCode = 0 | 1 | 2 | 3 | 130 | 143;

/** Every code, with the exit code that a scripted run ends with. */
export const errorCodes = {
  // wrong use or invalid input
  INVALID_INPUT: 2,
  INVALID_TEST_FILE: 2,
  INVALID_PLAYBOOK: 2,
  INVALID_CONFIG: 2,
  NO_TESTS_MATCH: 2,
  TARGET_NOT_FOUND: 2,
  SERVER_AMBIGUOUS: 2,
  NO_SESSION: 2,
  SESSION_ACTIVE: 2,
  SESSION_LOCKED: 2,
  NOT_NOW: 2,
  /** A path leaves the folder that it is of, or leads over a link, a fifo or a device. */
  PATH_REFUSED: 2,
  NO_SUCH_TEST: 2,
  NO_SUCH_TOOL: 2,
  NO_SUCH_SNAPSHOT: 2,
  CONFIG_MISSING: 2,
  UNSUPPORTED: 2,
  // environment
  RUNTIME_UNAVAILABLE: 3,
  IMAGE_MISSING: 3,
  IMAGE_BUILD_FAILED: 3,
  PROVISION_FAILED: 3,
  ENVIRONMENT_LOST: 3,
  EXEC_FAILED: 3,
  COPY_FAILED: 3,
  SNAPSHOT_FAILED: 3,
  ROLLBACK_FAILED: 3,
  PORT_TAKEN: 3,
  DISK_FULL: 3,
  SETUP_FAILED: 3,
  /** An install or a build reached no registry. */
  NETWORK_UNAVAILABLE: 3,
  // plugin
  BUILD_SYSTEM_UNKNOWN: 3,
  INSTALL_FAILED: 3,
  BUILD_FAILED: 3,
  TOOLCHAIN_MISSING: 3,
  START_FAILED: 3,
  DEPENDENCY_FAILED: 3,
  SERVER_LOST: 3,
  SERVER_SILENT: 3,
  PROTOCOL_VIOLATION: 3,
  // agents
  /** A session of a test did not go as planned. */
  AGENT_SESSION_FAILED: 1,
  // source and git
  GIT_FAILED: 3,
  /** An edit does not apply, or reaches where it must not. */
  EDIT_FAILED: 2,
  NO_SUCH_COMMIT: 2,
  REVERT_CONFLICT: 3,
  /** The result of a fixer cannot become a fix. */
  FIXER_FAILED: 3,
  WORKTREE_FAILED: 3,
  BRANCH_EXISTS: 2,
  COMMIT_FAILED: 3,
  // ourselves
  INTERRUPTED: 130,
  /** A report cannot be written. */
  REPORT_FAILED: 3,
  INTERNAL: 3,
} as const satisfies Record<string, ExitCode>;

export type ErrorCode = keyof typeof errorCodes;

/** Facts for deciding what to do next: plain data, with secrets already redacted. */
export interface ErrorContext {
  /** Raw output of what failed, unshortened where it is short. */
  output?: string;
  /** Attempts that were made, in order. */
  tried?: string[];
  /** Next steps that make sense, each a sentence or a command. */
  next?: NextStep[];
  [fact: string]: unknown;
}

/**
 * A failure that PTH foresaw.
 *
 * @example
 * ```ts
 * throw new PthError("START_FAILED", "Cannot start plugin: exited with 1 before initialize", {
 *   output: stderr,
 *   next: ["Run the build by hand: npm run build"],
 * });
 * ```
 */
export class PthError extends Error {
  override readonly name = "PthError";
  readonly code: ErrorCode;
  readonly context: ErrorContext;

  constructor(code: ErrorCode, message: string, context: ErrorContext = {}, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
    this.context = context;
  }

  get exitCode(): ExitCode {
    return errorCodes[this.code];
  }
}

/** Message of a thrown value. */
export const errorMessage = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

/** Any thrown value as a PthError; what was not foreseen becomes `INTERNAL` and keeps its cause. */
export function asPthError(error: unknown, action = "Cannot go on"): PthError {
  if (error instanceof PthError) return error;
  if (error instanceof Error && error.name === "AbortError") {
    return new PthError("INTERRUPTED", error.message, {}, { cause: error });
  }
  return new PthError("INTERNAL", `${action}: ${errorMessage(error)}`, {}, { cause: error });
}
