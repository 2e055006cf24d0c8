/** `$name` in steps: what earlier steps captured. */
import type { ScriptedReplies } from "../../../machines/model/test_case.ts";
import { isObject } from "../../core/values.ts";

/** A name, or a second `$` that makes one plain. `${env:NAME}` is none: it was replaced before. */
const reference = /\$(\$|[A-Za-z_][A-Za-z0-9_]*)/g;
const wholeReference = /^\$([A-Za-z_][A-Za-z0-9_]*)$/;

/** Checks the name of a variable. `__proto__` is none: it would set the prototype of the object that holds the variables. */
export const isVariableName = (name: string): boolean =>
  /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && name !== "__proto__";

/**
 * A value with every `$name` in its texts replaced, at any depth; keys of maps stay. A text that is exactly `$name`
 * becomes the variable's value with its type; within a text the value becomes text (JSON where it is none). `$$` is `$`.
 * A name without a value stays as it is: unknown names are refused when a test is read.
 */
export function replaceVariables<T>(value: T, variables: Record<string, unknown>): T {
  return replaceIn(value, variables) as T;
}

/** Replaces variables in scripted replies, except in roots, which the server is given before the first step. */
export function replaceInReplies(
  replies: ScriptedReplies,
  variables: Record<string, unknown>,
): ScriptedReplies {
  const { roots, ...others } = replies;
  return { ...replaceVariables(others, variables), ...(roots === undefined ? {} : { roots }) };
}

function replaceIn(value: unknown, variables: Record<string, unknown>): unknown {
  if (typeof value === "string") return replaceText(value, variables);
  if (Array.isArray(value)) return value.map((item) => replaceIn(item, variables));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, replaceIn(item, variables)]));
}

function replaceText(text: string, variables: Record<string, unknown>): unknown {
  const whole = wholeReference.exec(text)?.[1];
  if (whole !== undefined) return Object.hasOwn(variables, whole) ? variables[whole] : text;
  return text.replace(reference, (found, name: string) => {
    if (name === "$") return "$";
    return Object.hasOwn(variables, name) ? asText(variables[name]) : found;
  });
}

const asText = (value: unknown): string => typeof value === "string" ? value : JSON.stringify(value) ?? "";

/** Names that a text refers to, in their order. */
export const variableReferences = (text: string): string[] =>
  [...text.matchAll(reference)].flatMap(([, name]) => name === "$" ? [] : [name!]);

/** Text that must not be taken for a variable, as it is written in a step. */
export const escapeVariables = (text: string): string => text.replaceAll("$", "$$$$");
