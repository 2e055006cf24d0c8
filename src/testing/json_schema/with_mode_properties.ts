/**
 * Properties that an input needs in the mode that it chooses, as descriptions say: their own ("required for mode x"), that of
 * the mode or of the tool ("x: needs id and title").
 */
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
  toolDescription?: unknown,
): GeneratedInput {
  const properties = schemaProperties(schema).slice(0, mostProperties);
  const chosen = properties.flatMap(({ name, part }) => {
    const member = input[name];
    const members = enumOf(part, schema);
    const isMode = typeof member === "string" && members.length > 1 && members.includes(member);
    const told = [descriptionOf(schema, name) ?? part.description, toolDescription];
    return isMode ? [{ member, told: told.map((text) => saidOf(text, member, members)).join(" ") }] : [];
  });
  if (chosen.length === 0) return input;
  const needed = properties.filter(({ name, part }) =>
    !Object.hasOwn(input, name) && Object.hasOwn(all, name) &&
    chosen.some(({ member, told }) =>
      wordAt(told, name.toLowerCase()) >= 0 ||
      isNeeded(descriptionOf(schema, name) ?? part.description, member)
    )
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

/** Words that a description has for a member, up to what it has for the next one; nothing of what is optional. */
function saidOf(description: unknown, member: string, members: readonly unknown[]): string {
  if (typeof description !== "string" || member === "") return "";
  const text = description.slice(0, 2000).toLowerCase();
  const at = wordAt(text, member.toLowerCase());
  const rest = at < 0 ? "" : text.slice(at + member.length, at + member.length + 300);
  if (!/^["'`*)]{0,3}\s*(?::|\(|[-–—=→]|requires?\b|needs?\b|takes?\b)/.test(rest)) return "";
  const others = members.filter((other) => typeof other === "string" && other !== member) as string[];
  const ends = [
    ...others.map((other) => wordAt(rest, other.toLowerCase())),
    rest.search(/[\n;]|\.\s|\boptional/),
  ];
  return rest.slice(0, Math.min(rest.length, ...ends.filter((end) => end >= 0)));
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
