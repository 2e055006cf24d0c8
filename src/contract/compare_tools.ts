/** Tools before and after: names, schemas, annotations. */
import type { SurfaceChange } from "../../machines/model/contract.ts";
import type { ToolDefinition } from "../../machines/model/plugin.ts";
import { compareAnnotations } from "./compare_annotations.ts";
import { compareSchemas } from "./compare_schemas.ts";
import { likelyRename, type NamedItem } from "./likely_rename.ts";
import { withImpact } from "./schema_changes.ts";
import { sameJson } from "./stable_json.ts";
import { compareTexts, indexByName } from "./compare_texts.ts";

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
