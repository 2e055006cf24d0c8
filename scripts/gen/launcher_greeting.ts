/** scripts/launcher/greeting.json: what the launcher of an installed plugin answers before the server is there. */
import { capabilities, instructions, protocolVersions, serverInfo } from "../../src/server/greeting.ts";
import { prepareTool } from "../../src/server/prepare_tool.ts";
import type { RegisteredTool } from "../../src/tools/tool.ts";
import type { GeneratedFile } from "./generate.ts";

export function launcherGreeting(registered: readonly RegisteredTool[]): GeneratedFile {
  const { name, title } = serverInfo("");
  const dormant = registered.map(prepareTool).filter((tool) => tool.dormant);
  const tools = dormant.map(({ tool: { outputSchema: _, ...tool } }) => tool);
  const greeting = { protocolVersions, capabilities, serverInfo: { name, title }, instructions, tools };
  return { path: "scripts/launcher/greeting.json", text: JSON.stringify(greeting) };
}
