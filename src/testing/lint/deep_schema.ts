import { defineLintRule } from "../lint_rule.ts";
import { walkSchema } from "../json_schema/walk_schema.ts";

/** Levels; models fill in few reliably. */
const deepest = 5;

export default defineLintRule({
  code: "deep-schema",
  summary: "Inputs nested over 5 levels deep, which models seldom fill in right.",
  check({ name, inputSchema }) {
    const depth = walkSchema(inputSchema).reduce((most, place) => Math.max(most, place.depth), 0);
    if (depth <= deepest) return [];
    const message =
      `the input of ${name} is nested ${depth} levels deep: flatter inputs are filled in right more often`;
    return [{ severity: "info", message }];
  },
});
