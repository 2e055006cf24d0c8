/** scripts/launcher/greeting.json: what the launcher of an installed plugin answers before the server is there. */
import { capabilities, instructions, protocolVersions, serverInfo } from "../../src/server/greeting.ts";
import { describeTool, visibleTools } from "../../src/server/tool_list.ts";
import { registry } from "../../src/tools/_registry.ts";
import type { GeneratedFile } from "./generate.ts";

export function launcherGreeting(): GeneratedFile {
  const { name, title } = serverInfo("");
  const tools = visibleTools(registry, "dynamic", false).map(describeTool);
  const greeting = { protocolVersions, capabilities, serverInfo: { name, title }, instructions, tools };
  return { path: "scripts/launcher/greeting.json", text: JSON.stringify(greeting) };
}
