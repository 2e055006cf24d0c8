/** Findings on front matter that skills, commands and agents share. */
import { didYouMean } from "../core/did_you_mean.ts";
import type { FoundDefinition } from "./definition_rule.ts";
import type { MarkdownFile } from "./markdown_file.ts";

/** Form of a value. */
export type KeyForm = "text" | "texts" | "flag" | "number" | "any";

const forms: Record<KeyForm, { fits: (value: unknown) => boolean; text: string }> = {
  text: { fits: (value) => typeof value === "string", text: "a text" },
  texts: {
    fits: (value) =>
      typeof value === "string" || (Array.isArray(value) && value.every((each) => typeof each === "string")),
    text: "a text, or a list of texts",
  },
  flag: { fits: (value) => typeof value === "boolean", text: "true or false" },
  number: { fits: (value) => typeof value === "number", text: "a number" },
  any: { fits: () => true, text: "a value" },
};

/**
 * Compares the keys with those that are known.
 * @param kind `skill`, `command` or `agent`
 */
export function frontFindings(
  { front, hasFront, place }: MarkdownFile,
  kind: string,
  keys: Readonly<Record<string, KeyForm>>,
): FoundDefinition[] {
  if (!hasFront) {
    return [{
      severity: "warning",
      ...place(),
      message: `the ${kind} has no front matter: it loads without a description`,
      next: "Begin the file with --- , description: … and ---",
    }];
  }
  return Object.entries(front ?? {}).flatMap(([key, value]): FoundDefinition[] => {
    const form = Object.hasOwn(keys, key) ? forms[keys[key]!] : undefined;
    if (form === undefined) {
      const meant = didYouMean(key, Object.keys(keys));
      return [{
        severity: "warning",
        ...place(key),
        message: `"${key}" is no key of ${kind === "agent" ? "an" : "a"} ${kind}`,
        next: meant === undefined ? "Remove it, or move it below metadata" : `Write ${meant}`,
      }];
    }
    if (value === null || form.fits(value)) return [];
    return [{
      severity: "error",
      ...place(key),
      message: `${key}: expected ${form.text}, got ${JSON.stringify(value)}: Claude Code drops it`,
      next: `Give ${form.text}`,
    }];
  });
}

/** Finding where there is front matter without a description. */
export function descriptionFindings({ front, place }: MarkdownFile, kind: string): FoundDefinition[] {
  if (front === undefined) return [];
  const { description } = front;
  if (description !== undefined && description !== null && description !== "") return [];
  return [{
    severity: "warning",
    ...place("description"),
    message: `the ${kind} has no description: neither people nor the model know when to use it`,
    next: "Add description: what it does, and when it is to be used",
  }];
}
