/** Which tools are shown, and how MCP describes them (PTH design §3.4). */
import type { Tool } from "@modelcontextprotocol/sdk/types";
import type { RegisteredTool } from "../tools/tool.ts";
import { inputSchema } from "../tools/schema.ts";

/** `dynamic` shows session tools while a session is active, `static` always. */
export type ToolMode = "dynamic" | "static";

export const visibleTools = (
  registry: readonly RegisteredTool[],
  mode: ToolMode,
  active: boolean,
): readonly RegisteredTool[] =>
  mode === "static" || active ? registry : registry.filter(({ definition }) => definition.dormant);

/** Schemas are made once, when first asked for. */
const made = new WeakMap<RegisteredTool, Tool>();

export function describeTool(tool: RegisteredTool): Tool {
  const known = made.get(tool);
  if (known) return known;
  const { title, description, annotations } = tool.definition;
  const described: Tool = {
    name: tool.name,
    title,
    description,
    inputSchema: inputSchema(tool.definition),
    annotations,
  };
  made.set(tool, described);
  return described;
}
