import type { Schema } from "../json_schema/schema.ts";
import { defineLintRule } from "../lint_rule.ts";
import { placesText, walkSchema } from "../json_schema/walk_schema.ts";

/** Numbers, and texts of one or two characters. */
const isCode = (value: unknown): boolean =>
  typeof value === "number" || (typeof value === "string" && value.length <= 2);

const isMute = ({ enum: values, description }: Schema): boolean =>
  Array.isArray(values) && values.length > 1 && values.every(isCode) && !description?.trim();

export default defineLintRule({
  code: "enum-without-meaning",
  summary: "Choices between codes without a description of what each stands for.",
  check({ name, inputSchema }) {
    const places = walkSchema(inputSchema).filter(({ schema }) => isMute(schema));
    if (places.length === 0) return [];
    const message = `${name} offers codes and does not say what they stand for: ${placesText(places)}`;
    return [{ severity: "info", message }];
  },
});
