/** Detail on request, as plain values. */
import type { FixRecord } from "./fix.ts";
import type { EnvironmentState, HealthReport } from "./environment.ts";

export type DetailKind = "exchange" | "stderr" | "diff" | "build" | "resources";

export interface DetailRequest {
  kind: DetailKind;
  /** Id or name, for `exchange` and `stderr`. Without it the connections' own last words are told. */
  test?: string;
  /** For `diff`; its beginning is enough. Without it the newest fix. */
  commit?: string;
}

/** One JSON-RPC message. */
export interface McpMessage {
  /** Milliseconds since the epoch. */
  at: number;
  direction: "sent" | "received";
  message: unknown;
}

/** One request with everything that was said until its answer. */
export interface McpCall {
  /** Number from 1 within the test, or within the messages of a connection. */
  sequence: number;
  method: string;
  tool?: string;
  messages: McpMessage[];
  durationMs?: number;
}

interface OfTest {
  test?: { id: string; name: string; status?: string };
  /** Reason why there is less than there was, or nothing. */
  note?: string;
}

/** Messages that belong to no call have the sequence 0 and the method "". */
export type ExchangeDetail = { kind: "exchange"; calls: McpCall[] } & OfTest;

export type StderrDetail = {
  kind: "stderr";
  stderr: string;
  /** Lines on the server's stdout that were no protocol. */
  stdout: string[];
  /** The test's own `verify` commands; kept of tests that failed. */
  commands: { exec: string; code: number | null; stdout: string; stderr: string }[];
} & OfTest;

export interface DiffDetail {
  kind: "diff";
  fix: FixRecord;
  /** Unified, of this commit alone. */
  diff: string;
}

export interface BuildDetail {
  kind: "build";
  system?: string;
  install?: string;
  build?: string;
  /** Output of the latest build, whole. */
  output: string;
  durationMs?: number;
  /** Error of the latest load, if it failed. */
  error?: string;
}

/** Usage of disk, memory and processor. */
export interface ResourceUsage {
  disks: { mount: string; totalMB: number; usedMB: number; freeMB: number }[];
  /** Folders of the source, the largest first. */
  folders: { path: string; usedMB: number }[];
  /** Memory of the environment's own limit if there is one, else of the host. */
  memory: { totalMB: number; usedMB: number; limited: boolean };
  /** Load over 1, 5 and 15 minutes. */
  cpu: { cpus: number; load: number[] };
  /** The largest in memory first. */
  processes: { command: string; state: string; memoryMB: number; cpuSeconds: number }[];
  processCount: number;
}

export interface ResourcesDetail {
  kind: "resources";
  state: EnvironmentState;
  health: HealthReport;
  usage: ResourceUsage;
}

export type Detail = ExchangeDetail | StderrDetail | DiffDetail | BuildDetail | ResourcesDetail;
