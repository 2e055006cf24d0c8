import { asSchema } from "../json_schema/schema.ts";
import { isObject } from "../../core/values.ts";
import { defineLintRule, type LintFinding } from "../lint_rule.ts";
import { placesText, walkSchema } from "../json_schema/walk_schema.ts";

const combinations = ["oneOf", "anyOf", "allOf"];
const alsoRefused = ["enum", "not"];

export default defineLintRule({
  code: "rejected-schema",
  summary: "Input schemas that hosts refuse, and with them every request that lists the tool.",
  codes: {
    "top-level-combination":
      "`oneOf`, `anyOf`, `allOf` at the top of an input: Anthropic's and OpenAI's APIs refuse it, Claude Code leaves the tool out.",
    "missing-properties": "An input schema without `properties`: OpenAI's API refuses it.",
    "array-without-items": "Lists that do not say what they hold: Google's and OpenAI's APIs refuse them.",
    "type-list": "Several types at one place: Google's API takes one type and `nullable`.",
  },
  check({ name, inputSchema }) {
    if (!isObject(inputSchema) || inputSchema.type !== "object") {
      const type = isObject(inputSchema) ? JSON.stringify(inputSchema.type) ?? "missing" : typeof inputSchema;
      const message = `the input schema of ${name} is no object (type ${type}): MCP asks for type "object"`;
      return [{ severity: "error", message }];
    }
    const findings: LintFinding[] = [];
    const top = combinations.filter((keyword) => keyword in inputSchema);
    if (top.length > 0) {
      findings.push({
        severity: "error",
        code: "top-level-combination",
        message:
          `the input schema of ${name} has ${
            top.join(", ")
          } at its top: Anthropic's and OpenAI's APIs refuse it, ` +
          "and Claude Code leaves the tool out. Ask for fields as optional, and check in the handler",
      });
    }
    const other = alsoRefused.filter((keyword) => keyword in inputSchema);
    if (other.length > 0) {
      const message = `the input schema of ${name} has ${
        other.join(", ")
      } at its top: OpenAI's API refuses it`;
      findings.push({ severity: "warning", code: "top-level-combination", message });
    }
    if (!isObject(inputSchema.properties)) {
      findings.push({
        severity: "warning",
        code: "missing-properties",
        message:
          `the input schema of ${name} has no properties: OpenAI's API refuses it; a tool without parameters has ` +
          '"properties": {}',
      });
    }
    return [...findings, ...listsWithoutItems(name, inputSchema), ...listsOfTypes(name, inputSchema)];
  },
});

function listsWithoutItems(name: string, inputSchema: unknown): LintFinding[] {
  const places = walkSchema(asSchema(inputSchema)).filter(({ schema }) =>
    [schema.type].flat().includes("array") && schema.items === undefined && schema.prefixItems === undefined
  );
  if (places.length === 0) return [];
  const message = `lists in the input of ${name} do not say what they hold (items): ${placesText(places)}. ` +
    "Google's and OpenAI's APIs refuse them";
  return [{ severity: "warning", code: "array-without-items", message }];
}

function listsOfTypes(name: string, inputSchema: unknown): LintFinding[] {
  const places = walkSchema(asSchema(inputSchema)).filter(({ schema }) => Array.isArray(schema.type));
  if (places.length === 0) return [];
  const message = `several types at one place in the input of ${name}: ${placesText(places)}. ` +
    "Google's API takes one type and nullable: hosts that do not translate are refused";
  return [{ severity: "info", code: "type-list", message }];
}
