/** Tools before and after: names, schemas, annotations. */
import type { SurfaceChange } from "../../machines/model/contract.ts";
import type { ToolDefinition } from "../../machines/model/plugin.ts";
import { compareSchemas } from "./compare_schemas.ts";
import { compareTexts, indexByName, likelyRename, type NamedItem, sameJson } from "./likely_rename.ts";
import { withImpact } from "./schema_changes.ts";

export function compareTools(
  before: readonly ToolDefinition[],
  after: readonly ToolDefinition[],
): SurfaceChange[] {
  const [old, now] = [indexByName(before, "name"), indexByName(after, "name")];
  const added = [...now.values()].filter(({ name }) => !old.has(name));
  return [
    ...[...old.values()].flatMap((tool) => {
      const same = now.get(tool.name);
      return same === undefined ? [removed(tool, added)] : compareTool(tool, same);
    }),
    ...added.map(({ name }): SurfaceChange => ({
      impact: "compatible",
      code: "tool-added",
      path: `tools/${name}`,
      message: `${name} is new`,
    })),
  ];
}

const asNamed = ({ name, inputSchema }: ToolDefinition): NamedItem => ({ name, shape: inputSchema });

function removed(tool: ToolDefinition, added: readonly ToolDefinition[]): SurfaceChange {
  const renamed = likelyRename(asNamed(tool), added.map(asNamed));
  const hint = renamed === undefined ? "" : `; it was likely renamed to ${renamed}`;
  return {
    impact: "breaking",
    code: "tool-removed",
    path: `tools/${tool.name}`,
    message: `${tool.name} is gone${hint}`,
  };
}

function compareTool(before: ToolDefinition, after: ToolDefinition): SurfaceChange[] {
  const path = `tools/${before.name}`;
  const input = compareSchemas(before.inputSchema, after.inputSchema, "input", `${path}/inputSchema`);
  return [
    ...compareTexts(before, after, path),
    ...input.map(withImpact("input")),
    ...compareOutputs(before, after, `${path}/outputSchema`),
    ...compareAnnotations(before.annotations, after.annotations, `${path}/annotations`),
    ...compareRest(before, after, path),
  ];
}

function compareOutputs(before: ToolDefinition, after: ToolDefinition, path: string): SurfaceChange[] {
  const [old, now] = [before.outputSchema, after.outputSchema];
  if (old === undefined && now === undefined) return [];
  if (old === undefined) {
    return [{
      impact: "compatible",
      code: "output-schema-added",
      path,
      message: "answers are now described",
    }];
  }
  if (now === undefined) {
    const message = "answers are not described any more: who reads their fields cannot rely on them";
    return [{ impact: "breaking", code: "output-schema-removed", path, message }];
  }
  return compareSchemas(old, now, "output", path).map(withImpact("output"));
}

const compared = new Set(["name", "title", "description", "inputSchema", "outputSchema", "annotations"]);

/** Fields that this version of PTH does not know: that they changed is all that can be said. */
function compareRest(before: ToolDefinition, after: ToolDefinition, path: string): SurfaceChange[] {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return keys.filter((key) => !compared.has(key) && !sameJson(before[key], after[key])).map((key) => ({
    impact: "notice",
    code: "tool-field-changed",
    path: `${path}/${key}`,
    message: `${key} is another: cannot tell what that means to clients`,
  }));
}

type Annotations = NonNullable<ToolDefinition["annotations"]>;

type Hint = Exclude<keyof Annotations, "title">;

/** MCP's defaults, and what is lost by the change that hurts. `safe` is the value that promises more. */
const hints: Record<Hint, { fallback: boolean; safe: boolean; why: string }> = {
  readOnlyHint: {
    fallback: false,
    safe: true,
    why: "hosts that ran it without approval must ask now, and no longer run it in parallel",
  },
  destructiveHint: { fallback: true, safe: false, why: "calls approved as additive may now be destructive" },
  idempotentHint: {
    fallback: false,
    safe: true,
    why: "clients that retry after a failure may now repeat its effect",
  },
  openWorldHint: { fallback: true, safe: false, why: "it now accesses external systems" },
};

function compareAnnotations(
  before: Annotations = {},
  after: Annotations = {},
  path: string,
): SurfaceChange[] {
  const changed = (Object.keys(hints) as Hint[]).flatMap((hint): SurfaceChange[] => {
    const { fallback, safe, why } = hints[hint];
    const [old, now] = [before[hint] ?? fallback, after[hint] ?? fallback];
    if (old === now || isIdle(hint, before, after)) return [];
    const message = `${hint} was ${words(before[hint], old)}, now it is ${words(after[hint], now)}`;
    const change = { code: "annotation-changed", path: `${path}/${hint}` };
    if (now === safe) return [{ ...change, impact: "compatible", message }];
    const impact = hint === "openWorldHint" ? "notice" : "breaking";
    return [{ ...change, impact, message: `${message}: ${why}` }];
  });
  const title: SurfaceChange[] = before.title === after.title ? [] : [{
    impact: "notice",
    code: "title-changed",
    path: `${path}/title`,
    message: "the title reads differently",
  }];
  return [...changed, ...title];
}

/** MCP gives these hints a meaning only for tools that change something: a change of `readOnlyHint` is reported by itself. */
const isIdle = (hint: Hint, before: Annotations, after: Annotations): boolean =>
  (hint === "destructiveHint" || hint === "idempotentHint") &&
  (before.readOnlyHint === true || after.readOnlyHint === true);

const words = (said: boolean | undefined, meant: boolean): string =>
  said === undefined ? `${meant} (not stated)` : String(meant);
