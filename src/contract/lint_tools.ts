/** What tool definitions lack for the models that read them and the hosts that pass them on. */
import type { ToolDefinition } from "../../machines/model/plugin.ts";
import type { Finding } from "../../machines/model/test_result.ts";
import { isObject } from "../values.ts";
import { registry } from "./lint/_registry.ts";
import type { LintRule } from "./lint_rule.ts";

/** Findings tool by tool. None of them makes a test fail. */
export function lintTools(
  tools: readonly ToolDefinition[],
  rules: readonly LintRule[] = registry,
): Finding[] {
  const readable = tools.filter((tool) => isObject(tool) && typeof tool.name === "string");
  return readable.flatMap((tool) => {
    const others = readable.filter((other) => other !== tool);
    return rules.flatMap((rule) =>
      rule.check(tool, others).map(({ severity, code = rule.code, message }) => ({
        severity,
        code,
        tool: tool.name,
        message,
      }))
    );
  });
}

/** What the server says of itself as a whole. */
export function lintInstructions(instructions: string | undefined): Finding[] {
  if (instructions === undefined || instructions.length <= longestInstructions) return [];
  return [{
    severity: "warning",
    code: "long-instructions",
    message: `the instructions have ${instructions.length} characters: Claude Code cuts them after ` +
      `${longestInstructions}, and every session pays for them`,
  }];
}

const longestInstructions = 2048;
