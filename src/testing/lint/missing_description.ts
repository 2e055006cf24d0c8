import { defineLintRule } from "../lint_rule.ts";

export default defineLintRule({
  code: "missing-description",
  summary: "A tool without a description: a model cannot know when to use it.",
  check: ({ name, description }) =>
    typeof description === "string" && description.trim() !== ""
      ? []
      : [{ severity: "warning", message: `${name} has no description: a model cannot know when to use it` }],
});
