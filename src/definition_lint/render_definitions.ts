/** Findings on a plugin's definitions as text: place, what is wrong and what to do; the last line counts. */
import { count, visibleText } from "../core/text.ts";
import type { DefinitionReport } from "./lint_definitions.ts";

export function renderDefinitions({ findings, parts }: DefinitionReport): string {
  const { skills, commands, agents, hooks } = parts;
  const looked = [
    count(skills, "skill"),
    count(commands, "command"),
    count(agents, "agent"),
    count(hooks, "hook"),
  ].join(", ");
  const errors = findings.filter(({ severity }) => severity === "error").length;
  return [
    ...findings.flatMap(({ file, line, column, severity, rule, message, next }) => [
      `${file}:${line}:${column} ${severity} ${message} [${rule}]`,
      `    ${next}`,
    ]),
    findings.length === 0
      ? `No findings in ${looked}`
      : `${count(errors, "error")}, ${count(findings.length - errors, "warning")} in ${looked}`,
    "",
  ].map(visibleText).join("\n");
}
