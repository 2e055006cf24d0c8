/** zod's issues in words about the test, with the value that was given. */
import type { z } from "zod";
import { textExcerpt } from "./text.ts";
import type { Path } from "./read_source.ts";
import { valueAt } from "./values.ts";

type Issue = z.core.$ZodIssue;

const kinds: Record<string, string> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "a map",
  record: "a map",
};

/** "expected …, got …"; the place says which key is meant, so the text begins with its path. */
export function issueText(issue: Issue, root: unknown): string {
  const where = issue.path.length === 0 ? "" : `${pathText(issue.path as Path)}: `;
  const value = valueAt(root, issue.path as Path);
  if (issue.code === "custom") return `${where}${issue.message}`;
  const wanted = expectedText(issue);
  if (value === undefined) return `${where}${wanted}, is missing`;
  const bare = wanted === "expected text" && (typeof value === "number" || typeof value === "boolean");
  return `${where}${wanted}, got ${textExcerpt(value, 80)}${
    bare ? ` (in quotes it is text: "${value}")` : ""
  }`;
}

/** Describes what would be valid in place of an issue. */
export function expectedText(issue: Issue): string {
  switch (issue.code) {
    case "invalid_type":
      return `expected ${kinds[issue.expected] ?? issue.expected}`;
    case "invalid_value":
      return `expected ${issue.values.length === 1 ? "" : "one of "}${issue.values.join(", ")}`;
    case "too_small":
      if (issue.origin === "string") return "expected text that is not empty";
      if (issue.origin === "array") return `expected a list of at least ${issue.minimum}`;
      return `expected a number ${issue.inclusive ? "of at least" : "above"} ${issue.minimum}`;
    case "too_big":
      if (issue.origin === "string") return `expected text of at most ${issue.maximum} characters`;
      if (issue.origin === "array") return `expected a list of at most ${issue.maximum}`;
      return `expected a number of at most ${issue.maximum}`;
    default:
      return issue.message;
  }
}

/** `verify[0].exec` */
export function pathText(path: Path): string {
  return path.map((step, index) => typeof step === "number" ? `[${step}]` : index === 0 ? step : `.${step}`)
    .join("");
}
