/** Tools that no generated test calls unless it is asked for. */
import type { ToolDefinition } from "../../../machines/model/plugin.ts";
import type { GeneratedTests, GenerateOptions } from "../../api/harness.ts";
import { isObject } from "../../core/values.ts";
import { textWords } from "../../core/text.ts";

/** Words of a tool's name that say it destroys, or acts on the world outside. */
const alarming = new Set(
  ("delete del remove rm drop destroy purge wipe erase kill terminate shutdown reboot halt poweroff uninstall " +
    "send publish deploy pay purchase transfer revoke").split(" "),
);

/** Reason why a tool is held back, or undefined. Hints that a tool does not give count as absent. */
export function exclusionReason({ name, annotations = {} }: ToolDefinition): string | undefined {
  const { readOnlyHint, destructiveHint, openWorldHint } = annotations;
  // MCP gives destructiveHint a meaning only for tools that are not read-only.
  if (destructiveHint === true && readOnlyHint !== true) return "it says destructiveHint: true";
  if (openWorldHint === true) return "it says openWorldHint: true";
  const word = textWords(name).find((part) => alarming.has(part));
  return word === undefined ? undefined : `its name says "${word}"`;
}

/** Tools with a name, each name once; what else a list holds is the business of the `tools_list` check. */
export function readableTools(
  tools: readonly ToolDefinition[],
  { tools: wanted }: GenerateOptions,
): ToolDefinition[] {
  const seen = new Set<string>();
  return tools.filter((tool) => isObject(tool) && typeof tool.name === "string" && tool.name !== "")
    .filter(({ name }) => !seen.has(name) && seen.add(name))
    .filter(({ name }) => wanted?.includes(name) ?? true);
}

/** Tools that get no tests, and why. */
export const excludedTools = (
  tools: readonly ToolDefinition[],
  options: GenerateOptions,
): GeneratedTests["heldBack"] =>
  options.includeHeldBack === true ? [] : readableTools(tools, options).flatMap((tool) => {
    const reason = exclusionReason(tool);
    return reason === undefined ? [] : [{ tool: tool.name, reason }];
  });

/** Tools that generated tests may call. */
export function callableTools(tools: readonly ToolDefinition[], options: GenerateOptions): ToolDefinition[] {
  const held = new Set(excludedTools(tools, options).map(({ tool }) => tool));
  return readableTools(tools, options).filter(({ name }) => !held.has(name));
}
