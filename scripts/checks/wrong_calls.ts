/** The calls of PTH's own tools that a text names, held against what those tools take. */
import { registry } from "../../src/tools/_registry.ts";

const definitions = new Map(registry.map(({ name, definition }) => [name, definition]));
const callPattern = /\b(pth_[a-z_]+)(\()?/g;

/** A sentence on what is wrong with a call, and where in the text that begins. */
export interface WrongCall {
  index: number;
  what: string;
}

/** Finds calls that cannot be made as they are written. A name stands for a value that fits, "…" for that or more arguments. */
export function wrongCalls(text: string): WrongCall[] {
  return [...text.matchAll(callPattern)].flatMap(({ 0: found, 1: name, 2: bracket, index }) => {
    const at = index + found.length - 1;
    const problems = problemsOf(name!, bracket === undefined ? undefined : text.slice(at));
    return problems.map((what) => ({ index, what }));
  });
}

/** @param rest the text from the call's bracket on; absent where a tool is but named */
function problemsOf(name: string, rest: string | undefined): string[] {
  const definition = definitions.get(name);
  if (definition === undefined) return [`${name}: there is no such tool`];
  if (rest === undefined) return [];
  const inside = balanced(rest);
  if (inside === undefined) return [`${name}: its bracket is not closed`];
  const given = argumentsOf(inside);
  const call = `${name}(${inside.replace(/\s+/g, " ")})`;
  if (given === undefined) return [`${call}: its arguments are no object`];
  return wrongArguments(given, definition.input.shape).map((what) => `${call}: ${what}`);
}

type Shape = (typeof registry)[number]["definition"]["input"]["shape"];

function wrongArguments(given: ReadonlyMap<string, string | undefined>, shape: Shape): string[] {
  const missing = Object.entries(given.has("…") ? {} : shape)
    .filter(([key, type]) => !given.has(key) && !type.safeParse(undefined).success && !isOptional(type))
    .map(([key]) => `${key} is missing`);
  const wrong = [...given].flatMap(([key, value]) => {
    if (key === "…") return [];
    const type = shape[key];
    if (type === undefined) return [`there is no argument ${key}`];
    const literal = value === undefined ? undefined : jsonOf(value);
    if (literal === undefined) return [];
    return type.safeParse(literal.value).success ? [] : [`${key} is not ${value}`];
  });
  return [...missing, ...wrong];
}

/** `exactOptional` refuses an undefined that is given, and takes a missing key. */
const isOptional = (type: Shape[string]): boolean => type._zod.optin === "optional";

/** The text between the bracket that it begins with and the one that closes it; strings may hold brackets. */
function balanced(text: string): string | undefined {
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at++) {
    const sign = text[at]!;
    if (sign === '"' && text[at - 1] !== "\\") quoted = !quoted;
    if (quoted) continue;
    if ("([{".includes(sign)) depth++;
    if (")]}".includes(sign) && --depth === 0) return text.slice(1, at);
  }
  return undefined;
}

/** Names with their values; one without a value is a name alone, as in `{ pluginPath }`. */
function argumentsOf(inside: string): Map<string, string | undefined> | undefined {
  if (inside === "…") return new Map([["…", undefined]]);
  const object = /^\{([^]*)\}$/.exec(inside.trim());
  if (object === null) return undefined;
  const parts = splitOutside(object[1]!).map((part) => part.trim()).filter((part) => part !== "");
  return new Map(parts.map((part) => {
    const [, key, value] = /^"?(\w+)"?\??(?:\s*:\s*([^]*))?$/.exec(part) ?? [];
    return [key ?? part, value];
  }));
}

/** Splits at commas that are in no bracket and no string. */
function splitOutside(text: string): string[] {
  const parts = [""];
  let depth = 0;
  let quoted = false;
  for (const sign of text) {
    if (sign === '"') quoted = !quoted;
    else if (!quoted && "([{".includes(sign)) depth++;
    else if (!quoted && ")]}".includes(sign)) depth--;
    if (sign === "," && depth === 0 && !quoted) parts.push("");
    else parts[parts.length - 1] += sign;
  }
  return parts;
}

/** The value, where it is JSON but for names without quotes. */
function jsonOf(text: string): { value: unknown } | undefined {
  if (text.includes("…") || text.includes("<")) return undefined;
  try {
    return { value: JSON.parse(text.replace(/([{,]\s*)(\w+)\s*:/g, '$1"$2":')) };
  } catch {
    // A name that stands for a value.
    return undefined;
  }
}
