import type { ToolDefinition } from "../../../machines/model/plugin.ts";
import { asSchema } from "../../testing/json_schema/schema.ts";
import { isObject } from "../../values.ts";
import { defineLintRule, type LintFinding } from "../lint_rule.ts";
import { type Place, placesText, walkSchema } from "../walk_schema.ts";

/** Whether a pointer such as `#/$defs/node` names something. */
function isThere(root: unknown, reference: string): boolean {
  let target: unknown = root;
  for (const part of reference.slice(1).split("/").slice(1)) {
    const key = decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
    target = isObject(target) || Array.isArray(target) ? (target as Record<string, unknown>)[key] : undefined;
  }
  return target !== undefined;
}

const isPointer = (reference: string): boolean => reference === "#" || reference.startsWith("#/");

function checkOne({ name }: ToolDefinition, which: string, root: unknown): LintFinding[] {
  const places = walkSchema(asSchema(root)).filter(({ schema }) => typeof schema.$ref === "string");
  const external = places.filter(({ schema }) => !schema.$ref!.startsWith("#"));
  const lost = places.filter(({ schema }) => isPointer(schema.$ref!) && !isThere(root, schema.$ref!));
  const tell = (severity: "error" | "warning", found: Place[], what: string): LintFinding[] =>
    found.length === 0 ? [] : [{ severity, message: `${which} of ${name}: ${what}: ${placesText(found)}` }];
  return [
    ...tell("error", lost, "references to definitions that are not there"),
    ...tell("warning", external, "references to other documents, which hosts do not fetch"),
  ];
}

export default defineLintRule({
  code: "unresolved-reference",
  summary: "References that name nothing in the schema, or point outside of it.",
  check: (tool) => [
    ...checkOne(tool, "the input schema", tool.inputSchema),
    ...checkOne(tool, "the output schema", tool.outputSchema),
  ],
});
