import type { ToolDefinition } from "../../../machines/model/plugin.ts";
import {
  isPointer,
  placesText,
  resolvePointer,
  type SchemaPath,
  walkSchema,
} from "../json_schema/walk_schema.ts";
import { asSchema } from "../json_schema/schema.ts";
import { defineLintRule, type LintFinding } from "../lint_rule.ts";

function checkOne({ name }: ToolDefinition, which: string, root: unknown): LintFinding[] {
  const places = walkSchema(asSchema(root)).filter(({ schema }) => typeof schema.$ref === "string");
  const external = places.filter(({ schema }) => !schema.$ref!.startsWith("#"));
  const lost = places.filter(({ schema }) =>
    isPointer(schema.$ref!) && resolvePointer(schema.$ref!, root) === undefined
  );
  const tell = (severity: "error" | "warning", found: SchemaPath[], what: string): LintFinding[] =>
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
