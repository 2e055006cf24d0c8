/** The interface that all environments stand behind. */
import type { Readable, Writable } from "node:stream";
import type {
  DriftReport,
  EnvironmentFingerprint,
  EnvironmentHandle,
  EnvironmentSpec,
  EnvironmentState,
  HealthReport,
  MountInfo,
  NetworkMode,
  RuntimeAbilities,
  Tier,
} from "../../machines/model/environment.ts";
import type { ErrorCode, PthError } from "../core/errors.ts";
import type { ExitStatus } from "../platform/process.ts";
import type { NextStep } from "../core/next_step.ts";
import type { InspectOptions } from "./shared/inspect_script.ts";
import type { CopyLimits, ExecResult } from "../../machines/model/environment_operations.ts";

export interface ExecOptions {
  /** Folder inside; default: the source folder. */
  cwd?: string;
  env?: Record<string, string>;
  stdin?: string | Uint8Array;
  /** Ends the command, and what it started, inside the environment; `exec` then rejects with the signal's reason. */
  signal?: AbortSignal;
  onOutput?: (text: string, stream: "stdout" | "stderr") => void;
  /** Keep at most the last so many bytes of each stream; default 16 MiB. */
  maxBytes?: number;
}

/** The process that was started, or all of the group that it leads. */
export type Signalled = "leader" | "group";

/** A live process inside an environment. */
export interface EnvironmentProcess {
  /** Pid as the environment sees it, where the runtime can tell. */
  readonly pid: number | undefined;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolves once it ended and its pipes are drained, also when the whole environment went away; never rejects. */
  readonly exited: Promise<ExitStatus>;
  /**
   * Signals the process and its group inside the environment, or, as clients of servers do, the process alone. One that is
   * gone is no error.
   */
  kill(signal: NodeJS.Signals, whom?: Signalled): Promise<void>;
}

/** A service on the host's loopback, as an environment reaches it. */
export interface HostForward {
  /** Port of 127.0.0.1 inside: the host's number where it is free. */
  readonly port: number;
  /** Resolves with the reason once nothing leads there any more, unless that was `close`; never rejects. */
  readonly lost: Promise<PthError>;
  /** Ends it and what is connected; one that is lost is no error. */
  close(): Promise<void>;
}

export interface LogOptions {
  /** Last so many lines; default 200. */
  tail?: number;
}

/**
 * A way to make environments. All members are safe to call side by side, and act on any handle of the runtime,
 * in whichever process it was made. Every member throws `PthError`; the codes are named where they are not obvious.
 */
export interface EnvironmentRuntime {
  readonly name: string;
  readonly abilities: RuntimeAbilities;

  /**
   * Makes an environment; when it resolves, `exec` works. A failure or an abort leaves nothing behind.
   * @param tell takes what goes on where it takes long, line by line
   * @throws {PthError} `PROVISION_FAILED`, `IMAGE_MISSING`, `RUNTIME_UNAVAILABLE`, `DISK_FULL`
   */
  provision(
    spec: EnvironmentSpec,
    signal?: AbortSignal,
    tell?: (text: string) => void,
  ): Promise<EnvironmentHandle>;
  /** Removes it with its snapshots and all that runs in it; one that is gone is no error. */
  destroy(handle: EnvironmentHandle): Promise<void>;

  /** Runs a command to its end; a non-zero exit is a result. */
  exec(handle: EnvironmentHandle, command: readonly string[], options?: ExecOptions): Promise<ExecResult>;
  /** Starts a process with live pipes (an MCP server on stdio). */
  spawn(
    handle: EnvironmentHandle,
    command: readonly string[],
    options?: Pick<ExecOptions, "cwd" | "env">,
  ): Promise<EnvironmentProcess>;

  /**
   * A file or a whole folder; missing parents are made. An abort leaves what is there by then.
   * @throws {PthError} `COPY_FAILED`
   */
  copyIn(handle: EnvironmentHandle, hostPath: string, envPath: string, signal?: AbortSignal): Promise<void>;
  /** Bounded: what is inside may be without end. Nothing of what fails stays. @throws {PthError} `COPY_FAILED`, `DISK_FULL` */
  copyOut(
    handle: EnvironmentHandle,
    envPath: string,
    hostPath: string,
    limits?: CopyLimits,
  ): Promise<void>;
  /**
   * Brings a host folder in as a copy of the environment's own, and later brings that copy up to date: what differs from
   * the host is replaced, what the environment made in addition stays. Nothing comes back.
   * @throws {PthError} `COPY_FAILED`
   */
  mountSource(handle: EnvironmentHandle, hostPath: string, envPath: string): Promise<MountInfo>;

  /** Saves the state under a tag; the source folder need not be in it. @throws {PthError} `SNAPSHOT_FAILED` */
  snapshot(handle: EnvironmentHandle, tag: string): Promise<string>;
  /**
   * Goes back to a snapshot; what ran inside has ended. The handle given is void afterwards.
   * @throws {PthError} `ROLLBACK_FAILED`, `NO_SUCH_SNAPSHOT`
   */
  rollback(handle: EnvironmentHandle, snapshot: string): Promise<EnvironmentHandle>;
  /** Forgets a snapshot and frees its room. */
  dropSnapshot(handle: EnvironmentHandle, snapshot: string): Promise<void>;

  /** Makes a port inside reachable on the host's loopback; resolves to the host's port. @throws {PthError} `PORT_TAKEN` */
  forwardPort(handle: EnvironmentHandle, envPort: number, hostPort?: number): Promise<number>;

  /**
   * Makes a port of the host's loopback reachable on the environment's own, whatever network that has. It ends with the
   * environment, and with a rollback. A connection that is cut on one side ends on the other, too.
   * @throws {PthError} `UNSUPPORTED` where nothing inside can carry it, `ENVIRONMENT_LOST`
   */
  forwardHostPort(handle: EnvironmentHandle, hostPort: number, signal?: AbortSignal): Promise<HostForward>;

  healthCheck(handle: EnvironmentHandle): Promise<HealthReport>;
  fingerprint(handle: EnvironmentHandle): Promise<EnvironmentFingerprint>;
  detectDrift(handle: EnvironmentHandle, baseline: EnvironmentFingerprint): Promise<DriftReport>;
  logs(handle: EnvironmentHandle, options?: LogOptions): Promise<string>;
  inspect(handle: EnvironmentHandle, options?: InspectOptions): Promise<EnvironmentState>;
}

/** Whether a runtime can be used right now, and if not, what would make it so. */
export interface Readiness {
  ready: boolean;
  /** One sentence: what it is, or why not. */
  reason: string;
  /** Error code for callers if it is not ready; default `RUNTIME_UNAVAILABLE`. */
  code?: ErrorCode;
  /** Commands or steps that would make it ready. */
  next?: NextStep[];
  /** Further facts about the reason; they go into the error's context. */
  facts?: Record<string, unknown>;
}

/** Thing that a runtime left when its session died; found by its label, for `pth clean`. */
export interface Leftover {
  kind:
    | "container"
    | "image"
    | "network"
    | "volume"
    | "box"
    | "domain"
    | "disk"
    | "process"
    | "worktree"
    | "scratch"
    | "branch"
    | "lock"
    | "announcement"
    | "install"
    | "patch"
    | "test run";
  /** Id or path. */
  name: string;
  sessionId: string;
  /** True when the PTH that made it still runs, also one whose register this user does not see: not to be removed. */
  ownerLives?: boolean;
  /**
   * True when its maker is gone and it cannot be used any more, whatever any register says: always to be
   * removed.
   */
  disposable?: boolean;
  remove(): Promise<void>;
}

export interface RuntimeDefinition {
  /** Name as written after `--env`. */
  name: string;
  /** Description of its environments, and what a machine needs to have them, for the documentation. */
  summary: string;
  needs: string;
  /** Tiers that it can serve; among those ready, `auto` takes the lowest `rank`. */
  tiers: readonly Tier[];
  rank: number;
  /** Networks that can be asked of it. */
  networks: readonly NetworkMode[];
  /** Cheap, side-effect free, never throws. */
  probe(image?: string): Promise<Readiness>;
  create(): EnvironmentRuntime;
  /** Lists all things of this runtime on the machine that carry a session's label. */
  leftovers(): Promise<Leftover[]>;
}

/** Identity with types: the default export of a file in this folder. */
export const defineRuntime = (definition: RuntimeDefinition): RuntimeDefinition => definition;
