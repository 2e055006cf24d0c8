import { defineDefinitionRule, type FoundDefinition } from "../definition_rule.ts";
import { descriptionFindings } from "../front_findings.ts";

/** Longest description, in characters: agentskills.io, "description". */
const longest = 1024;
/** Claude Code 2.1.330 cuts what it lists to the model here. */
const cutAt = 1536;

export default defineDefinitionRule({
  code: "skill-description",
  summary:
    "Skills without a description, or with one of more than 1024 characters: it is all that the model chooses by.",
  check: ({ skills }) =>
    skills.flatMap((skill) => {
      const found: FoundDefinition[] = descriptionFindings(skill, "skill");
      const { description } = skill.front ?? {};
      if (typeof description === "string" && description.length > longest) {
        const cut = description.length > cutAt ? `; Claude Code cuts it after ${cutAt}` : "";
        found.push({
          severity: "warning",
          ...skill.place("description"),
          message:
            `the description has ${description.length} characters, and skills have ${longest} at most${cut}`,
          next: "Say when to use the skill, and move the rest into its text",
        });
      }
      return found;
    }),
});
