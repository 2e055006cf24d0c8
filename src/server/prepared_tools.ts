/**
 * Answers `tools/list` with the list made by `deno task gen`, stored next to this file: reading it takes a millisecond or two,
 * loading the tools with their schemas takes more than everything else at start-up.
 */
import type { Tool } from "@modelcontextprotocol/sdk/types";
import { readTextFile } from "../platform/files.ts";
import { ownFile } from "../platform/own_files.ts";
import type { Toolset } from "../tools/toolset.ts";

/** A tool as MCP describes it, and when it is listed. */
export interface PreparedTool {
  /** Listed also while no session is active: always, or once there is an answer to ask for. */
  dormant: boolean | "answers";
  toolset: Toolset;
  tool: Tool;
}

let prepared: Promise<readonly PreparedTool[]> | undefined;

/** All tools, in the order of the registry; read once. */
export function preparedTools(): Promise<readonly PreparedTool[]> {
  prepared ??= read();
  // A file that could not be read may be there for the next request.
  prepared.catch(() => prepared = undefined);
  return prepared;
}

const read = async (): Promise<readonly PreparedTool[]> =>
  JSON.parse(await readTextFile(ownFile("src/server/tool_list.json")));

/**
 * `dynamic` shows session tools while a session is active, `static` always; `test` has those alone that run a
 * project's own tests in place.
 */
export type ToolMode = "dynamic" | "static" | "test";

interface ToolListOptions {
  mode: ToolMode;
  toolsets: ReadonlySet<Toolset>;
  /** A session is active. */
  active: boolean;
  /** Calls have been answered by handles. */
  handles: boolean;
  /** The client takes structured answers. */
  structured: boolean;
}

/** The tools as this client gets them now: without schemas of answers where it gets none. */
export const shownTools = (
  prepared: readonly PreparedTool[],
  { mode, toolsets, active, handles, structured }: ToolListOptions,
): Tool[] =>
  prepared
    .filter(({ toolset }) => mode === "test" || toolsets.has(toolset))
    .filter(({ dormant }) => mode === "static" || active || (dormant === "answers" ? handles : dormant))
    .map(({ tool }) => structured ? tool : withoutOutput(tool));

function withoutOutput({ outputSchema: _, ...tool }: Tool): Tool {
  return tool;
}
