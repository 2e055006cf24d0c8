import { z } from "zod";
import { PthError } from "../../errors.ts";
import type { ToolDefinition } from "../../../machines/model/plugin.ts";
import { detail } from "../fields.ts";
import { toolRow, toolsData } from "../plugin_text.ts";
import { count } from "../words.ts";
import { defineTool } from "../tool.ts";

function chosen(tools: ToolDefinition[], name: string | undefined): ToolDefinition[] {
  if (name === undefined) return tools;
  const matching = tools.filter((tool) => tool.name === name);
  if (matching.length > 0) return matching;
  throw new PthError("NO_SUCH_TOOL", `Cannot show ${name}: the plugin has no such tool`, {
    next: [`Use one of: ${tools.map((tool) => tool.name).join(", ") || "(none)"}`],
  });
}

export default defineTool({
  title: "List the plugin's tools",
  description:
    "Tools of the plugin under test, by name and first line. With tool, or with detail: true, the full definitions with input schemas, " +
    "which pth_call_plugin_tool and hand-written tests need.",
  annotations: { readOnlyHint: true },
  input: z.strictObject({
    tool: z.string().min(1).exactOptional().describe("Only this tool, in full."),
    detail,
  }),
  // deno-lint-ignore require-await -- an error thrown here has to become a rejection
  async run({ tool, detail }, { harness }) {
    const tools = chosen(harness.session().pluginTools(), tool);
    const full = detail === true || tool !== undefined;
    const text = full ? JSON.stringify(tools, undefined, 2) : tools.map(toolRow).join("\n");
    return {
      text: `${count(tools.length, "tool")}\n${text}`,
      data: { total: tools.length, tools: toolsData(tools, full) },
    };
  },
});
