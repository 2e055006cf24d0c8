import { asSchema } from "../json_schema/schema.ts";
import { defineLintRule, type LintFinding } from "../lint_rule.ts";
import { placesText, walkSchema } from "../json_schema/walk_schema.ts";

/** Characters. OpenAI's API refuses functions with longer descriptions; Claude Code cuts at twice that. */
const refused = 1024;
const cut = 2048;

export default defineLintRule({
  code: "long-text",
  summary: "Descriptions of over 1,024 characters: OpenAI's API refuses them, Claude Code cuts after 2,048.",
  check({ name, description, inputSchema }) {
    const findings: LintFinding[] = [];
    const length = typeof description === "string" ? description.length : 0;
    if (length > refused) {
      const also = length > cut ? `, and Claude Code cuts it after ${cut}` : "";
      findings.push({
        severity: "warning",
        message:
          `the description of ${name} has ${length} characters: OpenAI's API refuses more than ${refused}${also}`,
      });
    }
    const long = walkSchema(asSchema(inputSchema)).filter(({ schema }) =>
      typeof schema.description === "string" && schema.description.length > refused
    );
    if (long.length > 0) {
      findings.push({
        severity: "info",
        message: `parameters of ${name} with descriptions of over ${refused} characters: ${placesText(long)}`,
      });
    }
    return findings;
  },
});
