/** How items of a result's `content` break the protocol (MCP, "Tool Result"). */
import { isObject } from "../core/values.ts";

/** Members that each kind of item must have, with their types. */
const kinds: Record<string, Record<string, "string" | "object">> = {
  text: { text: "string" },
  image: { data: "string", mimeType: "string" },
  audio: { data: "string", mimeType: "string" },
  resource: { resource: "object" },
  resource_link: { uri: "string", name: "string" },
};

/** Problems that are told one by one. */
const mostTold = 5;

/** Empty where every item is one of the protocol's. */
export function contentProblems(items: readonly unknown[]): string[] {
  const problems: string[] = [];
  for (const [index, item] of items.entries()) {
    const problem = problemOf(item);
    if (problem === undefined) continue;
    if (problems.length === mostTold) return [...problems, "… and more such items"];
    problems.push(`content[${index}] ${problem}`);
  }
  return problems;
}

function problemOf(item: unknown): string | undefined {
  if (!isObject(item)) {
    return `is ${
      Array.isArray(item) ? "a list" : item === null ? "null" : `a ${typeof item}`
    }, not an object`;
  }
  const { type } = item;
  if (typeof type !== "string") return `has no "type"`;
  const members = Object.hasOwn(kinds, type) ? kinds[type] : undefined;
  if (members === undefined) return `has the unknown type ${JSON.stringify(type.slice(0, 60))}`;
  for (const [name, kind] of Object.entries(members)) {
    const value = item[name];
    if (kind === "object" ? !isObject(value) : typeof value !== "string") {
      return `is of type "${type}" and its "${name}" is ${value === undefined ? "missing" : `no ${kind}`}`;
    }
  }
  return type === "resource" && typeof (item.resource as { uri?: unknown }).uri !== "string"
    ? `is of type "resource" and its "resource" has no "uri"`
    : undefined;
}
