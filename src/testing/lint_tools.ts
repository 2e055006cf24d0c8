/** Finds what tool definitions lack for the models that read them and the hosts that pass them on. */
import type { ToolDefinition } from "../../machines/model/plugin.ts";
import { createBreather } from "../core/waiting.ts";
import { inTime } from "./json_schema/in_time.ts";
import { isObject } from "../core/values.ts";
import { registry } from "./lint/_registry.ts";
import type { LintRule } from "./lint_rule.ts";
import type { Finding } from "../../machines/model/verdict.ts";
import { count } from "../core/text.ts";

/** Tools that are looked at: each is compared with all others. */
const mostTools = 1000;
/** Tools on which a rule may run out of time before the others are left alone. */
const mostSlow = 3;

/** Findings tool by tool. None of them makes a test fail. */
export async function lintTools(
  tools: readonly ToolDefinition[],
  rules: readonly LintRule[] = registry,
): Promise<Finding[]> {
  const named = tools.filter((tool) => isObject(tool) && typeof tool.name === "string");
  const readable = named.slice(0, mostTools);
  const findings: Finding[] = [];
  const breathe = createBreather();
  let [looked, slow] = [0, 0];
  for (const tool of readable) {
    if (slow >= mostSlow) break;
    await breathe();
    looked++;
    const { result, problem } = inTime(tool.inputSchema, () => lintTool(tool, readable, rules));
    findings.push(...result ?? [outOfTime(tool.name, problem!)]);
    if (problem !== undefined) slow++;
  }
  return looked < named.length ? [...findings, notLooked(looked, named.length)] : findings;
}

/** A rule may name every parameter of a tool. */
const longestMessage = 2000;

const lintTool = (
  tool: ToolDefinition,
  all: readonly ToolDefinition[],
  rules: readonly LintRule[],
): Finding[] => {
  const others = all.filter((other) => other !== tool);
  return rules.flatMap((rule) =>
    rule.check(tool, others).map(({ severity, code = rule.code, message }) => ({
      severity,
      code,
      tool: tool.name,
      message: message.length <= longestMessage ? message : `${message.slice(0, longestMessage)}…`,
    }))
  );
};

const outOfTime = (tool: string, problem: string): Finding => ({
  severity: "error",
  code: "schema-out-of-time",
  tool,
  message: `the schemas of ${tool} cannot be read: ${problem}`,
});

const notLooked = (looked: number, all: number): Finding => ({
  severity: "warning",
  code: "tools-left-out",
  message: `only the first ${count(looked, "tool")} of ${all} were looked at`,
});

/** Lints the instructions of the server as a whole. */
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
