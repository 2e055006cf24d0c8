/** Describes tools as MCP does; apart from what answers first, which need not load the schemas. */
import { inputSchema, outputSchema } from "../tools/schema.ts";
import type { RegisteredTool } from "../tools/tool.ts";
import { toolsetOf } from "../tools/toolset.ts";
import type { PreparedTool } from "./prepared_tools.ts";

/** Describes a tool for `deno task gen`, which writes what `preparedTools` reads. */
export function prepareTool(registered: RegisteredTool): PreparedTool {
  const { name, definition } = registered;
  const { title, description, annotations, dormant = false } = definition;
  return {
    dormant,
    toolset: toolsetOf(registered),
    tool: {
      name,
      title,
      description,
      inputSchema: inputSchema(definition),
      outputSchema: outputSchema(definition),
      annotations,
    },
  };
}
