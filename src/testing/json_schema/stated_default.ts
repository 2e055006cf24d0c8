/** Reads the default that a property's description states: "at most 100, default 10". */
import { type Schema, typesOf } from "./schema.ts";
import { enumOf } from "./schema_properties.ts";

/** Longest part of a description that is read. */
const longestRead = 600;

const stated =
  /\bdefault(?:s|ed|ing)?(?: value)?(?: is| to| of)?\s*[:=]?\s*["'\x60“]?(-?\d+(?:\.\d+)?|[A-Za-z][\w-]*)(?![\w%]|[.,:/]\d)/gi;

/** Words after a number that may give it another unit than the property has. */
const unit =
  /^["'\x60”]?\s*(?:ms|millis\w*|s|secs?|seconds?|m|mins?|minutes?|h|hours?|d|days?|weeks?|bytes?|[kmg]i?b|percent|per cent|times|x)\b/i;

/** Undefined where none is stated, or more than one, or one that is no value of this property. */
export function statedDefault(part: Schema, root: Schema): string | number | boolean | undefined {
  const text = typeof part.description === "string" ? part.description.slice(0, longestRead) : "";
  const matches = [...text.matchAll(stated)];
  if (matches.length !== 1 || (text.match(/\bdefault/gi) ?? []).length !== 1) return undefined;
  const { 0: whole, 1: word = "", index } = matches[0]!;
  const types = typesOf(part);
  if (/^-?\d/.test(word)) {
    const behind = text.slice(index + whole.length);
    return types.some((type) => /^(?:integer|number)$/.test(type)) && !unit.test(behind)
      ? Number(word)
      : undefined;
  }
  if (types.includes("boolean")) {
    return /^true$/i.test(word) ? true : /^false$/i.test(word) ? false : undefined;
  }
  return enumOf(part, root).includes(word) ? word : undefined;
}
