/** Ordinary work inside an environment, many pieces of it side by side. */
import type { ServerSurface } from "./contract.ts";
import type { ResourceUsage } from "./detail.ts";
import type { DriftReport, EnvironmentState, HealthReport } from "./environment.ts";
import type { FuzzReport, FuzzRequest } from "./fuzz.ts";
import type { LearnReport, LearnRequest } from "./learned.ts";
import type { EnvironmentInfo } from "./session.ts";

export interface RelayEnd {
  exitCode: number | null;
  signal: string | null;
  /** Last of what the server wrote on stderr. */
  stderrTail: string;
  /** The client closed its side first. */
  byClient: boolean;
}

/** Limits of what may come out of an environment. */
export interface CopyLimits {
  /** Bytes of all files together; 1 GiB by default. */
  maxBytes?: number;
  /** Files, folders and links together; 100,000 by default. */
  maxEntries?: number;
  /** Copy links as they are, also those that lead out of what is copied. Without it such a link is refused. */
  keepLinks?: boolean;
  /** Ends the copying, as a limit does. */
  signal?: AbortSignal;
}

/** Result of a command that ran inside an environment. */
export interface ExecResult {
  /** Exit code, or null when a signal ended the process. */
  code: number | null;
  signal: string | null;
  stdout: string;
  stderr: string;
  truncated: boolean;
  durationMs: number;
}

type NoArgs = Record<never, never>;

/** Every kind of operation, with its arguments and its result. */
export interface EnvironmentOperations {
  exec: {
    args: { command: string[]; cwd?: string; env?: Record<string, string>; timeoutSeconds?: number };
    result: ExecResult;
  };
  copy_in: { args: { hostPath: string; envPath: string }; result: void };
  copy_out: { args: { envPath: string; hostPath: string; limits?: CopyLimits }; result: void };
  inspect: { args: NoArgs; result: EnvironmentInfo & { state: EnvironmentState } };
  logs: { args: { tail: number; service?: string }; result: string };
  health: { args: NoArgs; result: HealthReport };
  drift: { args: NoArgs; result: DriftReport };
  drop_snapshot: { args: { snapshot: string }; result: void };
  usage: { args: NoArgs; result: ResourceUsage };
  relay: { args: { relayId: string }; result: RelayEnd };
  /** Read from any of the plugin's own connections that lives. */
  surface: { args: { connections: string[] }; result: ServerSurface };
  fuzz: { args: FuzzRequest; result: FuzzReport };
  learn: { args: LearnRequest; result: LearnReport };
}

/** A request for an operation, by its kind. */
export type OperationRequests = {
  [Kind in keyof EnvironmentOperations]: { kind: Kind; args: EnvironmentOperations[Kind]["args"] };
};
export type OperationRequest = OperationRequests[keyof EnvironmentOperations];
