/** Compares the list of tools before and after a reload. */
import type { ToolDefinition } from "../../../machines/model/plugin.ts";
import type { ReloadReport } from "../../api/harness.ts";
import { isObject } from "../../core/values.ts";

/** Tools by name; one is changed when anything of its definition says something else. */
export function compareReloadedTools(
  before: readonly ToolDefinition[],
  after: readonly ToolDefinition[],
): ReloadReport["tools"] {
  const old = new Map(before.map((tool) => [tool.name, inOrder(tool)]));
  const names = new Set(after.map(({ name }) => name));
  return {
    added: [...names].filter((name) => !old.has(name)),
    removed: [...old.keys()].filter((name) => !names.has(name)),
    changed: after.filter((tool) => old.has(tool.name) && old.get(tool.name) !== inOrder(tool))
      .map(({ name }) => name),
    total: after.length,
  };
}

/** JSON with sorted keys: their order says nothing. */
const inOrder = (value: unknown): string =>
  JSON.stringify(
    value,
    (_key, entry: unknown) =>
      isObject(entry) ? Object.fromEntries(Object.entries(entry).sort(([a], [b]) => a < b ? -1 : 1)) : entry,
  );
