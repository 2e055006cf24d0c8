/**
 * The answer to `initialize`, known without the MCP library.
 *
 * Loading the library takes longer than everything else at start-up; a host waits for this answer only. The library
 * gets the same request afterwards and goes on from there.
 */
import { isObject } from "../core/values.ts";
import type { JsonRpcMessage } from "./json_rpc_message.ts";
import type { ToolMode } from "./prepared_tools.ts";

/** Versions that the MCP library speaks, the newest first; a test compares. */
export const protocolVersions = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2024-10-07"];

export const serverCapabilities = {
  tools: { listChanged: true },
  resources: { listChanged: true },
  prompts: {},
  completions: {},
};

export const serverInstructions =
  "PTH tests Claude Code plugins and MCP servers in isolated environments. Start with pth_start_session({ pluginPath }); it makes the " +
  "other pth_ tools available: provision an environment, load the plugin, generate and run tests; " +
  "pth_run_iteration reports root causes, commits your fixes and tests again. End with pth_end_session({}).";

/** Parts of the answer that depend on what is served. */
export const servedParts = (mode: ToolMode) =>
  mode === "test"
    ? { capabilities: { tools: {} }, instructions: testInstructions }
    : { capabilities: serverCapabilities, instructions: serverInstructions };

const testInstructions =
  "debug_test runs the tests of a project and answers with failures by file and line. Use it in place of a shell, before and after " +
  "each change. With tracePatterns it keeps calls of functions, which debug_query answers.";

export const serverInfo = (version: string) => ({ name: "pth", title: "Plugin Test Harness", version });

/**
 * Whether a client asks for structured content, as a program does that reads answers by their fields: by the capability
 * `experimental: { structuredContent: {} }`. A model gets texts; where a result has both, some hosts hand it the JSON alone.
 */
export const wantsStructured = (capabilities: unknown): boolean =>
  isObject(capabilities) && isObject(capabilities["experimental"]) &&
  isObject(capabilities["experimental"]["structuredContent"]);

/** The answer to a well-formed `initialize`; anything else is the library's to answer. */
export function initializeResult(
  message: JsonRpcMessage,
  version: string,
  mode: ToolMode = "dynamic",
): JsonRpcMessage | undefined {
  const { id, method, params } = message;
  if (method !== "initialize" || id === undefined || !isWellFormed(params)) return undefined;
  const wanted = params["protocolVersion"];
  const protocolVersion = protocolVersions.find((known) => known === wanted) ?? protocolVersions[0];
  return {
    jsonrpc: "2.0",
    id,
    result: {
      protocolVersion,
      serverInfo: serverInfo(version),
      ...servedParts(mode),
    },
  };
}

function isWellFormed(params: Record<string, unknown> | undefined): params is Record<string, unknown> {
  const client = params?.["clientInfo"];
  return typeof params?.["protocolVersion"] === "string" && isObject(params["capabilities"]) &&
    isObject(client) && typeof client["name"] === "string" && typeof client["version"] === "string";
}
