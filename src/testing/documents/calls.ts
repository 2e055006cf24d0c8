/** Calls of tools as documents write them. */
import { isObject, jsonIn } from "../../core/values.ts";

export interface WrittenCall {
  tool: string;
  input: Record<string, unknown>;
}

/** Shape of a tool, by which a call of it is distinguished from other text. */
interface ToolShape {
  name: string;
  /** Inputs in the order of the schema, and which of them are required. */
  properties: readonly string[];
  required: readonly string[];
  /** Whether a value fits an input by itself. */
  isValid(input: unknown): boolean;
}

export type Shapes = ReadonlyMap<string, ToolShape>;

/** Calls in JSON: a request, an object that names a tool and its input, or a list of them. */
export function callsInJson(value: unknown, shapes: Shapes): WrittenCall[] {
  if (Array.isArray(value)) {
    const calls = value.map((each) => callsInJson(each, shapes));
    return calls.every(({ length }) => length === 1) ? calls.flat() : [];
  }
  if (!isObject(value)) return [];
  if (value.method === "tools/call") return isObject(value.params) ? callsInJson(value.params, shapes) : [];
  const tool = [value.tool, value.tool_name, value.toolName, value.name].find((each) =>
    typeof each === "string"
  );
  const given = [value.arguments, value.args, value.input, value.parameters, value.params].find(isObject);
  const shape = shapes.get(String(tool));
  // A name without an input may be the definition of the tool.
  return shape && given && shape.isValid(given) ? [{ tool: shape.name, input: given }] : [];
}

/**
 * A call written like one of a function or a command, where nothing else could be meant: `add(a=2, b=3)`,
 * `add({"a": 2})`, `add a=2 b=3`, and `add 2 3` where that is one value for each required input.
 */
export function callInText(text: string, shapes: Shapes): WrittenCall | undefined {
  const [, name, rest = ""] = /^\s*([\w.-]+)\s*([\s\S]*?)\s*;?\s*$/.exec(text) ?? [];
  const shape = name === undefined ? undefined : shapes.get(name);
  if (!shape || rest === "") return undefined;
  const inside = /^\(([\s\S]*)\)$/.exec(rest)?.[1];
  const input = inside === undefined
    ? rest.startsWith("{") ? jsonIn(rest) : fromWords(split(rest, /\s+/), shape, "=")
    : fromArguments(inside.trim(), shape);
  return isObject(input) && shape.isValid(input) ? { tool: shape.name, input } : undefined;
}

function fromArguments(inside: string, shape: ToolShape): unknown {
  if (inside === "") return shape.required.length === 0 ? {} : undefined;
  return inside.startsWith("{") ? jsonIn(inside) : fromWords(split(inside, /\s*,\s*/), shape, "[=:]");
}

/** `name=value` each, or one value for each required input; a mixture is neither. */
function fromWords(words: readonly string[], shape: ToolShape, mark: string): unknown {
  const named = words.map((word) => RegExp(`^["']?(\\w+)["']?\\s*${mark}\\s*([\\s\\S]+)$`).exec(word));
  if (named.every((each) => each !== null && shape.properties.includes(each[1]!))) {
    return Object.fromEntries(named.map((each) => [each![1], valueOf(each![2]!)]));
  }
  const places = shape.required.length > 0 ? shape.required : shape.properties;
  if (words.length !== places.length || !words.every(isValue)) return undefined;
  return Object.fromEntries(places.map((name, at) => [name, valueOf(words[at]!)]));
}

/** Numbers and texts in quotes; a bare word may be the name of a parameter: `add a b`. */
const isValue = (word: string): boolean => /^-?\d|^(["']).*\1$|^(?:true|false)$/.test(word);

function valueOf(word: string): unknown {
  const quoted = /^(["'])(.*)\1$/s.exec(word);
  return quoted ? quoted[2] : jsonIn(word) ?? word;
}

/** Splits where no quotes and no brackets are open. */
function split(text: string, separator: RegExp): string[] {
  const words: string[] = [];
  let word = "";
  let quote = "";
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!;
    if (quote !== "") quote = character === quote ? "" : quote;
    else if (character === '"' || character === "'") quote = character;
    else if ("[{(".includes(character)) depth++;
    else if ("]})".includes(character)) depth--;
    const gap = quote === "" && depth === 0 ? RegExp(`^(?:${separator.source})`).exec(text.slice(at)) : null;
    if (gap && gap[0] !== "") {
      words.push(word);
      word = "";
      at += gap[0].length - 1;
    } else word += character;
  }
  return [...words, word].filter((each) => each !== "");
}
