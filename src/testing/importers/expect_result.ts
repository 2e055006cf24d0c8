/** Translates an expected JSON-RPC message to assertions of PTH; formats differ in how they write patterns. */
import { isObject } from "../../core/values.ts";
import type { Importing } from "../importer.ts";
import type { Path } from "../../core/read_source.ts";

/**
 * Pattern of a format for texts that need not be equal: the assertion's suffix and its value, or the reason why there
 * is none.
 */
export type TextPattern = {
  key: "contains" | "contains_i" | "equals" | "equals_i" | "matches";
  value: string;
} | { lost: string };

export interface PatternLanguage {
  text(value: unknown): TextPattern;
  /** Whether a pattern stands anywhere in the value. */
  hasPatterns(value: unknown): boolean;
}

/** Assertions for the `result` of a call: its text, `isError` and structured content. */
export function expectResult(
  importing: Importing,
  result: Record<string, unknown>,
  path: Path,
  language: PatternLanguage,
): Record<string, unknown> {
  const expect: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(result)) {
    const at = [...path, key];
    if (key === "isError" && typeof value === "boolean") expect.success = !value;
    else if (key === "content") Object.assign(expect, expectContent(importing, value, at, language));
    else if (key === "structuredContent" && !language.hasPatterns(value)) expect.output_json = value;
    else importing.lose(at, "no assertion for this part of an answer");
  }
  return expect;
}

function expectContent(
  importing: Importing,
  value: unknown,
  path: Path,
  language: PatternLanguage,
): Record<string, unknown> {
  if (!Array.isArray(value)) {
    importing.lose(path, "no assertion for the list of contents as a whole");
    return {};
  }
  const texts = value.map((part: unknown) =>
    isObject(part) && part.type === "text" ? language.text(part.text) : undefined
  );
  const literal = texts.map((text) =>
    text !== undefined && "key" in text && text.key === "equals" ? text.value : undefined
  );
  if (literal.every((text) => text !== undefined)) return { output_equals: literal.join("\n") };
  if (texts.length > 1) importing.lose(path, "patterns are compared with the text of all parts together");
  const expect: Record<string, unknown> = {};
  texts.forEach((text, index) => {
    const at = [...path, index];
    if (text === undefined) importing.lose(at, "only parts of type text can be compared");
    else if ("lost" in text) importing.lose([...at, "text"], text.lost);
    else if (texts.length === 1 || text.key !== "equals") {
      const key = `output_${text.key}`;
      if (key in expect) importing.lose([...at, "text"], `a test has one ${key}`);
      else expect[key] = text.value;
    } else if (!("output_contains" in expect)) expect.output_contains = text.value;
  });
  return expect;
}

/** Assertions for a JSON-RPC error. */
export function expectError(
  importing: Importing,
  error: Record<string, unknown>,
  path: Path,
  language: PatternLanguage,
): Record<string, unknown> {
  const expect: Record<string, unknown> = { success: false };
  for (const [key, value] of Object.entries(error)) {
    const at = [...path, key];
    if (key !== "message") {
      importing.lose(at, "any error counts as a refusal");
      continue;
    }
    const text = language.text(value);
    if ("lost" in text) importing.lose(at, text.lost);
    else if (text.key === "matches") expect.output_matches = text.value;
    else expect[text.key.endsWith("_i") ? "error_contains_i" : "error_contains"] = text.value;
  }
  return expect;
}

/** Text in which no character means anything to a regular expression. */
export const literally = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
