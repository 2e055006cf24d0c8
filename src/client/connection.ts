/** A live connection to one MCP server, whatever its transport and protocol era. */
import type {
  CallOutcome,
  CloseReport,
  ConnectionLoss,
  ServerInfo,
  ToolDefinition,
} from "../../machines/model/plugin.ts";
import type { ClientSide } from "./client_features.ts";
import type { Exchange } from "./capture.ts";
import type { Incident } from "./incidents.ts";
import type { McpProgress } from "./rpc_peer.ts";
import type { Hurry } from "./server_process.ts";

export interface CallOptions {
  /** Cancels the call (`notifications/cancelled`) and rejects with the signal's reason. */
  signal?: AbortSignal;
  onProgress?: (progress: McpProgress) => void;
  /** Limit in ms; beyond it the call is cancelled and rejects with `SERVER_SILENT`. Default none. */
  timeoutMs?: number;
  /** Hears notifications other than progress that name the request: signs that the server works on it. */
  onActivity?: () => void;
}

export interface Connection {
  readonly id: string;
  readonly server: ServerInfo;
  /** The server's pid inside its environment, where it is known. */
  readonly pid: number | undefined;

  /** All pages, as they came. @throws {PthError} `PROTOCOL_VIOLATION` for an answer that is no tool list, `SERVER_LOST`, `SERVER_SILENT` */
  listTools(): Promise<ToolDefinition[]>;
  /** A JSON-RPC error and `isError` are outcomes. @throws {PthError} `SERVER_LOST` when the server goes away meanwhile */
  callTool(tool: string, input: Record<string, unknown>, options?: CallOptions): Promise<CallOutcome>;
  /**
   * Any other request of the protocol (`resources/read`, `prompts/list` …). A JSON-RPC error is an outcome; `text` is that of
   * `content`, `contents` or `messages`, whichever the result has.
   * @throws {PthError} as `callTool`
   */
  request(method: string, params: Record<string, unknown>, options?: CallOptions): Promise<CallOutcome>;
  /** Round trip in milliseconds. @throws {PthError} `SERVER_SILENT` after `timeoutMs`, `SERVER_LOST` */
  ping(timeoutMs: number): Promise<number>;

  /** Requests and notifications of the server. */
  readonly client: ClientSide;

  /** Resolves when the server goes away by itself; never after `close`. */
  readonly lost: Promise<ConnectionLoss>;
  /** Last lines of the server's stderr (at most 64 KiB). */
  stderrTail(): string;
  /** Lines on stdout that are no JSON-RPC message, at most the first 100. */
  strayOutput(): string[];
  /** Captured messages, the newest last; bounded. */
  exchanges(): readonly Exchange[];
  /** Incidents so far, in order; bounded. */
  incidents(): readonly Incident[];

  /**
   * Ends the server: closes stdin, waits `graceMs` (default 2000), then SIGTERM, first for its process alone, then SIGKILL.
   * Ends and names what it left behind.
   * @param options.judged the end is judged: what is about to end by itself is waited for, so that only what stays counts
   * @param options.hurry cuts the waits short once it fires
   */
  close(options?: { graceMs?: number; judged?: boolean; hurry?: Hurry }): Promise<ServerEnd>;
}

/** Reaction of a server that was asked to end, and of what it had started. */
export interface ServerEnd extends CloseReport {
  /** Command lines of what ran on after SIGTERM had ended the server's process alone; told where the end is judged. */
  survivors: string[];
}

/** Processes that were still there when the server's own had ended; they are ended by then. */
export type LeftBehind = Pick<ServerEnd, "orphans" | "survivors">;

/** Looks for what a server left behind, and ends it. */
export type EndLeftBehind = (how: {
  /** The group that the server's process led, where SIGTERM ended that process alone. */
  group?: number;
  judged: boolean;
}) => Promise<LeftBehind>;
