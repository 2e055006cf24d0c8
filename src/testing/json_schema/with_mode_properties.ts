/** Properties that an input needs in the mode that it chooses, as their descriptions say: "required for mode x". */
import { isObject } from "../../core/values.ts";
import type { Schema } from "./schema.ts";
import { enumOf, type GeneratedInput, schemaProperties } from "./schema_properties.ts";

/** Properties of one tool that are looked at, and characters of a description: each is read for each mode. */
const mostProperties = 60;
const longestRead = 500;

/** The input with the optional properties that its chosen members of enums need, taken from `all`. */
export function withModeProperties(
  schema: Schema,
  input: GeneratedInput,
  all: GeneratedInput,
): GeneratedInput {
  const properties = schemaProperties(schema).slice(0, mostProperties);
  const chosen = properties.flatMap(({ name, part }) => {
    const member = input[name];
    const members = enumOf(part, schema);
    return typeof member === "string" && members.length > 1 && members.includes(member) ? [member] : [];
  });
  if (chosen.length === 0) return input;
  const needed = properties.filter(({ name, part }) =>
    !Object.hasOwn(input, name) && Object.hasOwn(all, name) &&
    chosen.some((member) => isNeeded(descriptionOf(schema, name) ?? part.description, member))
  );
  return needed.length === 0
    ? input
    : { ...input, ...Object.fromEntries(needed.map(({ name }) => [name, all[name]])) };
}

/** The description next to a reference or an alternative, which the part that is left has lost. */
function descriptionOf({ properties }: Schema, name: string): unknown {
  const node = properties?.[name];
  return isObject(node) ? node.description : undefined;
}

/** Whether a description ties a property to a member: it names both, and no word between them excludes it. */
function isNeeded(description: unknown, member: string): boolean {
  if (typeof description !== "string" || member === "") return false;
  const text = description.slice(0, longestRead).toLowerCase();
  const at = wordAt(text, member.toLowerCase());
  if (at < 0 || /\b(?:not|except|ignored|unless|optional)\b/.test(text)) return false;
  return /\b(?:required|require[sd]?|needed|must|for|when|if|used|only|with|in)\b/.test(text.slice(0, at));
}

/** Place of a word in a text, or -1: letters beside it make it another word. */
function wordAt(text: string, word: string): number {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const beside = `${text[at - 1] ?? " "}${text[at + word.length] ?? " "}`;
    if (!/[\p{L}\p{N}]/u.test(beside)) return at;
  }
  return -1;
}
