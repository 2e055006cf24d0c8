import type { ToolDefinition } from "../../../machines/model/plugin.ts";
import { defineLintRule } from "../lint_rule.ts";

/** `listFiles`, `list-file` and `list_files` are the same to a reader. */
const plainName = (name: string): string =>
  name.replace(/([a-z0-9])([A-Z])/g, "$1_$2").toLowerCase().split(/[^a-z0-9]+/)
    .map((word) => (word.length > 3 ? word.replace(/s$/, "") : word)).join("_");

const wordsOf = (text: unknown): Set<string> =>
  new Set(typeof text === "string" ? text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [] : []);

/** Share of the words of two descriptions that both have. */
function likeness(one: Set<string>, other: Set<string>): number {
  const shared = [...one].filter((word) => other.has(word)).length;
  return shared / new Set([...one, ...other]).size;
}

/** Number of words below which tools that differ may well share all of them. */
const fewest = 6;
const nearlyAll = 0.9;

const readAlike = (tool: ToolDefinition, other: ToolDefinition): boolean => {
  const [one, two] = [wordsOf(tool.description), wordsOf(other.description)];
  return one.size >= fewest && two.size >= fewest && likeness(one, two) >= nearlyAll;
};

export default defineLintRule({
  code: "ambiguous-tools",
  summary: "Two tools whose names or descriptions read alike: a model takes one for the other.",
  check(tool, others) {
    // Each pair is reported once, for the tool that comes first in the alphabet.
    const later = others.filter(({ name }) => tool.name < name);
    return later.flatMap((other) => {
      const what = plainName(tool.name) === plainName(other.name)
        ? "names"
        : readAlike(tool, other)
        ? "descriptions"
        : undefined;
      if (what === undefined) return [];
      const message =
        `${tool.name} and ${other.name} have ${what} that read alike: say in both which is for what`;
      return [{ severity: "warning" as const, message }];
    });
  },
});
