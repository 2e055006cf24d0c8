/** Arguments of a tool from the words of a command line: read first, then by the tool's input schema. */
import type { ToolDefinition } from "../../../machines/model/plugin.ts";
import { suggestion } from "../../core/did_you_mean.ts";
import { errorMessage, PthError } from "../../core/errors.ts";
import { textExcerpt } from "../../core/text.ts";
import { isObject, jsonIn } from "../../core/values.ts";
import { readTextFile } from "../../platform/files.ts";
import type { Problems } from "../options/problems.ts";
import { type ToolField, toolFields, toolUsage } from "./tool_fields.ts";

/** A text is read by the schema, a value is JSON already. */
export type GivenArgument = { key: string; text: string } | { key: string; value: unknown };

/**
 * Reads `key=value`, `key=@file`, `key:=json` and `{…}`, a JSON object with several arguments. What is wrong, also a key given
 * twice, is added to the problems.
 */
export async function readArguments(words: readonly string[], problems: Problems): Promise<GivenArgument[]> {
  const given: GivenArgument[] = [];
  for (const word of words) {
    for (const argument of await readWord(word, problems)) {
      if (given.some(({ key }) => key === argument.key)) problems.add(`"${argument.key}" is given twice`);
      given.push(argument);
    }
  }
  return given;
}

async function readWord(word: string, problems: Problems): Promise<GivenArgument[]> {
  if (word.startsWith("{")) {
    const value = jsonIn(word);
    if (isObject(value)) return Object.entries(value).map(([key, value]) => ({ key, value }));
    problems.add(`${textExcerpt(word, 80)} is no JSON object`);
    return [];
  }
  const [, key, json, text] = /^([^=]+?)(:?)=(.*)$/s.exec(word) ?? [];
  if (key === undefined || text === undefined) {
    problems.add(
      `${textExcerpt(word, 80)} is no argument: give key=value, key:=json, key=@file or a JSON object`,
    );
    return [];
  }
  if (json === ":") {
    const value = jsonIn(text);
    if (value !== undefined) return [{ key, value }];
    problems.add(`${key}:= expects JSON, not ${textExcerpt(text, 80)}`);
    return [];
  }
  if (!text.startsWith("@")) return [{ key, text }];
  try {
    return [{ key, text: await readTextFile(text.slice(1)) }];
  } catch (error) {
    problems.add(`${key}=${text}: cannot read the file: ${errorMessage(error)}`);
    return [];
  }
}

/** @throws {PthError} `INVALID_INPUT` with all keys that are wrong or missing, and the tool's usage */
export function toolInput(
  tool: Pick<ToolDefinition, "name" | "inputSchema">,
  given: readonly GivenArgument[],
): Record<string, unknown> {
  const known = toolFields(tool);
  const names = known.fields.map(({ name }) => name);
  const wrong: string[] = [];
  const input: [string, unknown][] = [];
  for (const argument of given) {
    const { key } = argument;
    const field = known.fields.find(({ name }) => name === key);
    if (field === undefined && !known.open) {
      wrong.push(`unknown key "${key}"${names.length === 0 ? " (it takes none)" : suggestion(key, names)}`);
    } else if ("value" in argument) input.push([key, argument.value]);
    else {
      const { value, expected } = readText(argument.text, field);
      if (expected === undefined) input.push([key, value]);
      else wrong.push(`${key} expects ${expected}, not ${textExcerpt(argument.text, 80)}`);
    }
  }
  for (const { name, required } of known.fields) {
    if (required && !given.some(({ key }) => key === name)) wrong.push(`"${name}" is missing`);
  }
  if (wrong.length === 0) return Object.fromEntries(input);
  throw new PthError("INVALID_INPUT", `Cannot call ${tool.name}: ${wrong.join("; ")}`, {
    next: [`Usage: pth call <target> ${toolUsage(tool.name, known)}`],
  });
}

/** Types of JSON Schema besides texts: what a parsed value must be, and its description. A Map, as a server names types. */
const kinds = new Map<string, { fits: (value: unknown) => boolean; text: string }>([
  ["null", { fits: (value) => value === null, text: "null" }],
  ["boolean", { fits: (value) => typeof value === "boolean", text: "true or false" }],
  ["integer", { fits: Number.isInteger, text: "a whole number" }],
  ["number", { fits: (value) => typeof value === "number", text: "a number" }],
  ["array", { fits: Array.isArray, text: "a JSON list" }],
  ["object", { fits: isObject, text: "a JSON object" }],
]);

/** A text stays one wherever the schema allows texts; where it says nothing of types, JSON is read as JSON. */
function readText(text: string, field: ToolField | undefined): { value?: unknown; expected?: string } {
  const { types = [], values = [] } = field ?? {};
  if (values.includes(text) || types.includes("string")) return { value: text };
  const value = jsonIn(text);
  if (values.some((each) => each === value)) return { value };
  if (types.length === 0) return { value: value === undefined ? text : value };
  if (types.some((type) => kinds.get(type)?.fits(value))) return { value };
  return { expected: types.map((type) => kinds.get(type)?.text ?? `a value of type ${type}`).join(" or ") };
}
