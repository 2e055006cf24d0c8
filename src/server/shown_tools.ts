/** Decides which tools are shown. */
import type { Tool } from "@modelcontextprotocol/sdk/types";
import type { Toolset } from "../tools/toolset.ts";
import type { PreparedTool } from "./prepared_tools.ts";

/** `dynamic` shows session tools while a session is active, `static` always. */
export type ToolMode = "dynamic" | "static";

export interface ToolListOptions {
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
    .filter(({ toolset }) => toolsets.has(toolset))
    .filter(({ dormant }) => mode === "static" || active || (dormant === "answers" ? handles : dormant))
    .map(({ tool }) => structured ? tool : withoutOutput(tool));

function withoutOutput({ outputSchema: _, ...tool }: Tool): Tool {
  return tool;
}
