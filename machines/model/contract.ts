/** A server's public surface as plain values: what clients rely on. */
import type { ServerInfo, ToolDefinition } from "./plugin.ts";

/** Tools, prompts and resources of a server, in the order of names; `pth-contract/1` as a file. */
export interface ServerSurface {
  server: Pick<ServerInfo, "name" | "version" | "protocolVersion" | "capabilities" | "instructions">;
  tools: ToolDefinition[];
  resources: Record<string, unknown>[];
  resourceTemplates: Record<string, unknown>[];
  prompts: Record<string, unknown>[];
}

export interface SurfaceChange {
  /** Breaking: a client that worked may fail. Notice: a model may behave differently (texts). */
  impact: "breaking" | "notice" | "compatible";
  /** For example `required-field-added`. */
  code: string;
  /** For example `tools/echo/inputSchema/properties/text`. */
  path: string;
  message: string;
}

/** Surface compared with the stored contract. */
export interface ContractCheck {
  /** The file compared with, relative to the plugin's folder; absent where there is none. */
  baseline?: string;
  changes: SurfaceChange[];
  /** Number of breaking changes. */
  breaking: number;
  tools: number;
  /** Path and commit of the saved contract; no commit if the session has no branch, or nothing differs. */
  saved?: { path: string; commit?: string };
}

/** Cost in a model's context, in tokens of one named tokenizer. */
export interface TokenCost {
  tokenizer: string;
  /** The whole `tools/list`, and each tool of it. */
  list: { bytes: number; tokens: number };
  tools: { tool: string; bytes: number; tokens: number }[];
  /** Typical answers by tool, from calls that were seen; medians and the largest. */
  answers: { tool: string; calls: number; medianTokens: number; maxTokens: number }[];
  instructions?: { bytes: number; tokens: number };
}
