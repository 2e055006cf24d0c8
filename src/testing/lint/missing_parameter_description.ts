import { asSchema } from "../json_schema/schema.ts";
import { isObject } from "../../core/values.ts";
import { defineLintRule } from "../lint_rule.ts";

const isBlank = (text: unknown): boolean => typeof text !== "string" || text.trim() === "";

export default defineLintRule({
  code: "missing-parameter-description",
  summary: "Parameters without a description: a model guesses what they take.",
  check({ name, inputSchema }) {
    const properties = Object.entries(asSchema(asSchema(inputSchema).properties));
    const silent = properties.filter(([, schema]) =>
      isObject(schema) && !("$ref" in schema) && isBlank(schema.description)
    );
    if (silent.length === 0) return [];
    const names = silent.map(([property]) => property).join(", ");
    return [{ severity: "info", message: `${name} does not describe: ${names}` }];
  },
});
