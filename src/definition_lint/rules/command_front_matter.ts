import { defineDefinitionRule, type FoundDefinition } from "../definition_rule.ts";
import { descriptionFindings, frontFindings, type KeyForm } from "../front_findings.ts";

const keys: Record<string, KeyForm> = {
  name: "text",
  description: "text",
  "allowed-tools": "texts",
  "disallowed-tools": "texts",
  "argument-hint": "any",
  arguments: "any",
  model: "text",
  effort: "any",
  shell: "text",
  version: "any",
  when_to_use: "text",
  "disable-model-invocation": "flag",
  "user-invocable": "flag",
  context: "text",
  agent: "text",
  hooks: "any",
  paths: "texts",
  metadata: "any",
};

export default defineDefinitionRule({
  code: "command-front-matter",
  summary:
    "Commands without a description, with keys that count for nothing, or with arguments that no hint names.",
  check: ({ commands }) =>
    commands.flatMap((command) => {
      const found: FoundDefinition[] = [
        ...frontFindings(command, "command", keys),
        ...descriptionFindings(command, "command"),
      ];
      const used = command.lines.find(({ text }) => /\$ARGUMENTS\b|\$[1-9]\b/.test(text));
      const { front } = command;
      if (
        front !== undefined && used !== undefined && !("argument-hint" in front) && !("arguments" in front)
      ) {
        found.push({
          severity: "warning",
          file: command.file,
          line: used.number,
          column: 1,
          message: "the command takes arguments, and nothing tells people which",
          next: "Add argument-hint: to the front matter",
        });
      }
      return found;
    }),
});
