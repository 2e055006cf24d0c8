import { defineDefinitionRule } from "../definition_rule.ts";

export default defineDefinitionRule({
  code: "syntax",
  summary: "JSON and front matter that cannot be read: nothing in it counts.",
  check: ({ problems }) =>
    problems.map((problem) => ({
      severity: "error",
      ...problem,
      next: problem.file.endsWith(".md")
        ? "Correct the YAML between the lines ---; texts with : or [ go into quotes"
        : "Correct the place named",
    })),
});
