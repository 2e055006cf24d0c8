/** Plugins as plain values. */

/** Connection to one MCP server of a plugin; commands and paths are those inside the environment. */
export type ServerTransport =
  | { type: "stdio"; command: string[]; env: Record<string, string>; cwd: string }
  | {
    type: "http";
    /** Absent: the server runs elsewhere and is only reached. `{port}` stands for the port. */
    command?: string[];
    env: Record<string, string>;
    cwd: string;
    /** `{port}` stands for the forwarded port on the host. */
    url: string;
    port?: number;
    headers?: Record<string, string>;
  };

export interface BuildPlan {
  /** Row of the table that matched: "npm", "npm (tsconfig)", "pip", "make", "cargo", or "given". */
  system: string;
  /** The file that decided. */
  evidence: string;
  /** Shell commands run in the plugin's folder. */
  install?: string;
  build?: string;
  /** Programs that must be there first, for example `cargo`. */
  toolchains: string[];
}

/** A variable of the server, and who said its value. */
export interface ResolvedVariable {
  name: string;
  value: string;
  /** "--var", "--secret", ".mcp.json", "default in package.json" … */
  source: string;
  secret: boolean;
}

/** A plugin under test, all questions answered. */
export interface PluginPlan {
  /** Name among the dependencies; absent for the plugin under test. */
  dependency?: string;
  name: string;
  version?: string;
  /** Source as the user gave it: a folder, `npm:…`, a command. */
  source: string;
  /** Folder of the plugin inside the environment. */
  folder: string;
  build?: BuildPlan;
  /** Folder inside of the Node that was brought in, where the environment's own does not fit. */
  node?: string;
  server: ServerTransport;
  /** Name of the server where a plugin holds several. */
  serverName?: string;
  /** Variables of the server; the same values are in `server.env`. */
  variables?: ResolvedVariable[];
  /** Things to say to the user. */
  notes?: string[];
}

/** A tool as `tools/list` gave it, unchanged. */
export interface ToolDefinition {
  name: string;
  title?: string;
  description?: string;
  inputSchema: unknown;
  outputSchema?: unknown;
  annotations?: {
    title?: string;
    readOnlyHint?: boolean;
    destructiveHint?: boolean;
    idempotentHint?: boolean;
    openWorldHint?: boolean;
  };
  [key: string]: unknown;
}

/** Server's answer to the initialization. */
export interface ServerInfo {
  name: string;
  version: string;
  protocolVersion: string;
  capabilities: Record<string, unknown>;
  instructions?: string;
}

/** Capability that a client declares at initialization; servers may request nothing else. */
export type ClientCapability = "elicitation" | "roots" | "sampling";

/** A message of the server that wants no answer. */
export interface ServerNotification {
  method: string;
  params: Record<string, unknown>;
}

/** One tool call's answer, as it came and as it is judged by the protocol. */
export interface CallOutcome {
  kind: "result" | "rpc_error";
  /** The raw result object, or the raw error object. */
  raw: unknown;
  /** Text parts joined by a line feed; for an error its message. */
  text: string;
  isError: boolean;
  structuredContent?: unknown;
  content?: unknown[];
  code?: number;
  /** Breaches of the protocol or of the tool's own `outputSchema`. */
  violations: { kind: "no_content_array" | "output_schema" | "malformed"; message: string }[];
  durationMs: number;
}

/** End of a server's process, or of a connection. */
export interface ConnectionLoss {
  reason: "exited" | "closed" | "killed" | "protocol";
  exitCode: number | null;
  signal: string | null;
  /** Last lines of stderr. */
  stderrTail: string;
  message: string;
}

/** Reaction of a server that was asked to end. */
export interface CloseReport {
  how: "stdin-eof" | "sigterm" | "sigkill" | "already-gone" | "disconnected";
  waitedMs: number;
  exitCode: number | null;
  /** Processes that the server left behind (command lines); they were then ended. */
  orphans: string[];
}
