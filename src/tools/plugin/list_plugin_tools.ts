import * as z from "zod";
import { PthError } from "../../core/errors.ts";
import type { ToolDefinition } from "../../../machines/model/plugin.ts";
import { detailField } from "../fields.ts";
import { pluginTools } from "../output/plugin.ts";
import { callRow, toolsData } from "../text/plugin_text.ts";
import { joinLines } from "../text/join_lines.ts";
import { count } from "../../core/text.ts";
import { defineTool, readsOnly } from "../tool.ts";

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
    "Tools of the plugin under test: name, arguments, first line. With tool, or detail: true, the full definitions with schemas.",
  annotations: readsOnly,
  input: z.strictObject({
    tool: z.string().min(1).exactOptional().describe("Only this tool, in full."),
    detail: detailField,
  }),
  output: z.object({ total: z.number(), tools: pluginTools }),
  // deno-lint-ignore require-await -- an error thrown here has to become a rejection
  async run({ tool, detail }, { harness }) {
    const tools = chosen(harness.session().plugin.tools(), tool);
    const full = detail === true || tool !== undefined;
    const rows = full ? tools.map((each) => JSON.stringify(each)) : tools.map(callRow);
    const [first] = tools;
    return {
      text: joinLines(
        count(tools.length, "tool"),
        ...rows,
        !full && first && `In full: pth_list_plugin_tools({ tool: ${JSON.stringify(first.name)} })`,
      ),
      data: { total: tools.length, tools: toolsData(tools, full) },
    };
  },
});
