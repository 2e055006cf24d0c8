/** src/server/tool_list.json: what `tools/list` answers, made beforehand. */
import { prepareTool } from "../../src/server/prepare_tool.ts";
import type { RegisteredTool } from "../../src/tools/tool.ts";
import type { GeneratedFile } from "./generated_file.ts";

export const preparedTools = (tools: readonly RegisteredTool[]): GeneratedFile => ({
  path: "src/server/tool_list.json",
  text: JSON.stringify(tools.map(prepareTool)),
});
