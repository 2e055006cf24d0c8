/** The plugin under test in a few lines. */
import type { CloseReport, PluginPlan, ToolDefinition } from "../../../machines/model/plugin.ts";
import type { DependencyStatus, PluginInfo } from "../../../machines/model/session.ts";
import type { Session } from "../../api/harness.ts";
import { isObject } from "../../core/values.ts";
import { joinLines, limitedList } from "./join_lines.ts";
import { count, firstLine } from "../../core/text.ts";

/** Maximum of tools listed with their descriptions, and by name. */
const toolsTold = 8;
const toolsNamed = 60;
const argumentsNamed = 8;

/** Tells how the server is reached and started, without its variables' values: those may be secrets. */
export function planData(plan: PluginPlan) {
  const { env, ...server } = plan.server;
  const headers = "headers" in server ? Object.keys(server.headers ?? {}) : undefined;
  return { ...plan, server: { ...server, headers, variables: Object.keys(env) } };
}

function toolRow(tool: ToolDefinition): string {
  const text = tool.description ?? tool.title;
  return `- ${tool.name}${text ? `: ${firstLine(text, 120)}` : " (no description)"}`;
}

/** The tool's row with its arguments, those that may be left out with a question mark. */
export function callRow(tool: ToolDefinition): string {
  const { properties, required } = isObject(tool.inputSchema) ? tool.inputSchema : {};
  const needed = new Set(Array.isArray(required) ? required : []);
  const names = Object.keys(isObject(properties) ? properties : {})
    .map((name) => needed.has(name) ? name : `${name}?`);
  return toolRow({ ...tool, name: `${tool.name}(${limitedList(names, argumentsNamed).join(", ")})` });
}

function toolRows(tools: readonly ToolDefinition[], all: boolean): string[] {
  if (all || tools.length <= toolsTold) return tools.map(toolRow);
  const names = limitedList(tools.map(({ name }) => name), toolsNamed, "more").join(", ");
  return [`Tools (pth_list_plugin_tools({}) describes them): ${names}`];
}

export function toolsData(tools: readonly ToolDefinition[], detail: boolean | undefined) {
  if (detail) return tools;
  return tools.map((tool) => ({
    name: tool.name,
    description: firstLine(tool.description ?? tool.title ?? "", 120),
  }));
}

/** Tells how it is built and started. */
export function startRows({ build, server, serverName, notes = [] }: PluginPlan): string[] {
  const command = server.command?.join(" ");
  const where = server.type === "http" ? `http ${server.url}` : "stdio";
  const steps = [build?.install, build?.build].filter((step) => step !== undefined).join("; ");
  return [
    build
      ? `Build system: ${build.system} (${build.evidence})${steps && `: ${steps}`}`
      : "Nothing to install or build",
    `Server${serverName ? ` ${serverName}` : ""}: ${where}${command ? `, started with ${command}` : ""}`,
    ...notes,
  ];
}

/** Tests that there are after a load, and what makes sense then. */
export function testsText(session: Pick<Session, "tests">): string {
  const tests = session.tests.list().length;
  const mistakes = session.tests.problems().length;
  return joinLines(
    mistakes > 0 && `Not loaded, ${count(mistakes, "mistake")} in test files: pth_list_tests({}) names them.`,
    tests === 0
      ? "Next: pth_generate_tests({}), then pth_run_test_suite({})."
      : `Next: pth_run_test_suite({}) runs ${count(tests, "test")}; pth_generate_tests({}) adds to them.`,
  );
}

/** One line each; the variables by which it is found behind it. */
export const dependencyRows = (dependencies: readonly DependencyStatus[]): string[] =>
  dependencies.map(({ name, state, tools, variables }) => {
    const found = Object.entries(variables).map(([variable, value]) => `${variable}=${value}`).join(" ");
    return `Dependency ${name}: ${state}, ${count(tools.length, "tool")}${found && `, ${found}`}`;
  });

export function pluginText({ plan, server, tools }: PluginInfo, detail = false): string {
  return joinLines(
    `${plan.name}${plan.version ? ` ${plan.version}` : ""} runs: ${server.name} ${server.version}, ` +
      `protocol ${server.protocolVersion}, ${count(tools.length, "tool")}`,
    ...startRows(plan),
    ...toolRows(tools, detail),
  );
}

export const orphanRows = (closed: readonly CloseReport[]): string[] =>
  closed.flatMap(({ orphans }) => orphans).map((orphan) =>
    `The old server left a process behind: ${orphan} (PTH ended it; orphaned-process is a fault of the plugin)`
  );
