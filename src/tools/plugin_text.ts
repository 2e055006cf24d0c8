/** The plugin under test in a few lines. */
import type { PluginPlan, ToolDefinition } from "../../machines/model/plugin.ts";
import type { DependencyStatus, PluginInfo } from "../../machines/model/session.ts";
import { count, firstLine, lines, listed } from "./words.ts";

const toolsShown = 50;

/** How the server is reached and started, without the values of its variables: those may be secrets. */
export function planData(plan: PluginPlan) {
  const { env, ...server } = plan.server;
  const headers = "headers" in server ? { headers: Object.keys(server.headers ?? {}) } : {};
  return { ...plan, server: { ...server, ...headers, variables: Object.keys(env) } };
}

export function toolRow(tool: ToolDefinition): string {
  const text = tool.description ?? tool.title;
  return `- ${tool.name}${text ? `: ${firstLine(text)}` : " (no description)"}`;
}

/** Name and first line each; the schemas are many times as long. */
const toolRows = (tools: readonly ToolDefinition[]): string[] =>
  listed(tools.map(toolRow), toolsShown, "more tools; ask pth_list_plugin_tools with detail: true");

export function toolsData(tools: readonly ToolDefinition[], detail: boolean | undefined) {
  if (detail) return tools;
  return tools.map((tool) => ({
    name: tool.name,
    description: firstLine(tool.description ?? tool.title ?? ""),
  }));
}

function howText({ server, serverName }: PluginPlan): string {
  const command = server.command?.join(" ");
  const where = server.type === "http" ? `http ${server.url}` : "stdio";
  return `Server${serverName ? ` ${serverName}` : ""}: ${where}${command ? `, started with ${command}` : ""}`;
}

/** One line each; the variables by which it is found behind it. */
export const dependencyRows = (dependencies: readonly DependencyStatus[]): string[] =>
  dependencies.map(({ name, state, tools, variables }) => {
    const found = Object.entries(variables).map(([variable, value]) => `${variable}=${value}`).join(" ");
    return `Dependency ${name}: ${state}, ${count(tools.length, "tool")}${found && `, ${found}`}`;
  });

export function pluginText({ plan, server, tools }: PluginInfo): string {
  const build = plan.build
    ? `Build system: ${plan.build.system} (${plan.build.evidence})`
    : "Nothing to install or build";
  return lines(
    `${plan.name}${plan.version ? ` ${plan.version}` : ""} runs: ${server.name} ${server.version}, ` +
      `protocol ${server.protocolVersion}, ${count(tools.length, "tool")}`,
    build,
    howText(plan),
    ...toolRows(tools),
  );
}
