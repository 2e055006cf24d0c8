import { defineDefinitionRule, type FoundDefinition } from "../definition_rule.ts";
import { frontFindings, type KeyForm } from "../front_findings.ts";

const keys: Record<string, KeyForm> = {
  name: "text",
  description: "text",
  license: "text",
  compatibility: "any",
  metadata: "any",
  "allowed-tools": "texts",
  "disallowed-tools": "texts",
  "argument-hint": "any",
  arguments: "any",
  "disable-model-invocation": "flag",
  "user-invocable": "flag",
  model: "text",
  effort: "any",
  shell: "text",
  version: "any",
  when_to_use: "text",
  paths: "texts",
  hooks: "any",
  context: "text",
  agent: "text",
  created_by: "text",
  improved_by: "text",
};

/** Names of skills: agentskills.io, "name". */
const nameForm = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const longestName = 64;

export default defineDefinitionRule({
  code: "skill-front-matter",
  summary:
    "Skills without front matter, with keys that count for nothing, or with another name than their folder.",
  check: ({ skills }) =>
    skills.flatMap((skill) => {
      const found = frontFindings(skill, "skill", keys);
      const given = skill.front?.name;
      const warn = (message: string, next: string): FoundDefinition => ({
        severity: "warning",
        ...skill.place("name"),
        message,
        next,
      });
      const called = typeof given === "string" ? given : skill.name;
      if (called !== skill.name) {
        found.push(
          warn(`the skill is called "${called}" and its folder "${skill.name}"`, "Give both one name"),
        );
      }
      if (!nameForm.test(called) || called.length > longestName) {
        found.push(
          warn(
            `"${called}" is no name of a skill`,
            `Write small letters, digits and - between them, ${longestName} characters at most`,
          ),
        );
      }
      return found;
    }),
});
