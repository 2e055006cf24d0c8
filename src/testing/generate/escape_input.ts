/** Inputs whose texts stand for themselves. */
import { isObject } from "../../core/values.ts";
import { escapeReferences } from "../format/interpolate.ts";
import type { GeneratedInput } from "../json_schema/schema_properties.ts";
import { escapeVariables } from "../format/variables.ts";

/** A schema's or a document's own texts are no references to variables, whatever they look like. */
export const escapeInput = (input: GeneratedInput): GeneratedInput =>
  inTexts(input, escapeReferences) as GeneratedInput;

/** As `escapeInput`, for a step, where `$name` is a variable, too. */
export const escapeStepInput = (input: GeneratedInput): GeneratedInput =>
  inTexts(input, (text) => escapeReferences(escapeVariables(text))) as GeneratedInput;

function inTexts(value: unknown, escape: (text: string) => string): unknown {
  if (typeof value === "string") return escape(value);
  if (Array.isArray(value)) return value.map((item) => inTexts(item, escape));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, inTexts(item, escape)]));
}
