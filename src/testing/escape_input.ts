/** Inputs whose texts stand for themselves. */
import { isObject } from "../values.ts";
import { escapeReferences } from "./interpolate.ts";
import type { Input } from "./json_schema/parts.ts";

/** A schema's or a document's own texts are no references to variables, whatever they look like. */
export const escapeInput = (input: Input): Input => escapeAll(input) as Input;

function escapeAll(value: unknown): unknown {
  if (typeof value === "string") return escapeReferences(value);
  if (Array.isArray(value)) return value.map(escapeAll);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, escapeAll(item)]));
}
