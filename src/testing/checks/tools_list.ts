/** `tools/list` is well-formed, names are unique, and every schema compiles. */
import type { ToolDefinition } from "../../../machines/model/plugin.ts";
import { checkFailed, checkPassed, defineCheck } from "../check.ts";
import { excerpt } from "../excerpt.ts";

export default defineCheck({
  name: "tools_list",
  summary: "lists tools that clients can read",
  category: "protocol-error",
  async run(context) {
    const tools = await context.tools();
    const malformed = [...tools.flatMap(shapeProblems), ...duplicates(tools)];
    const uncompiled = context.schemaProblems(tools).map(({ tool, which, message }) =>
      `${tool}: ${which} is no valid JSON Schema: ${message}`
    );
    const all = [...malformed, ...uncompiled];
    if (all.length > 0) {
      const category = malformed.length > 0 ? "protocol-error" : "schema-violation";
      return checkFailed(category, `tools/list is malformed: ${all.join("\n  ")}`, all);
    }
    return tools.length === 0 ? checkPassed("the server lists no tools") : checkPassed();
  },
});

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function shapeProblems(tool: ToolDefinition, index: number): string[] {
  if (!isMap(tool)) return [`tool ${index} is no object: ${excerpt(tool, 80)}`];
  const { name, inputSchema, outputSchema, description } = tool as Record<string, unknown>;
  if (typeof name !== "string" || name === "") return [`tool ${index} has no name: ${excerpt(tool, 80)}`];
  const problems: string[] = [];
  if (!isMap(inputSchema)) problems.push(`${name}: inputSchema is no object: ${excerpt(inputSchema, 80)}`);
  else if (inputSchema.type !== "object") {
    problems.push(`${name}: inputSchema must have type "object", it has ${excerpt(inputSchema.type, 80)}`);
  }
  if (outputSchema !== undefined && !isMap(outputSchema)) {
    problems.push(`${name}: outputSchema is no object: ${excerpt(outputSchema, 80)}`);
  }
  if (description !== undefined && typeof description !== "string") {
    problems.push(`${name}: description is no text: ${excerpt(description, 80)}`);
  }
  return problems;
}

function duplicates(tools: readonly ToolDefinition[]): string[] {
  const names = tools.map((tool) => tool?.name);
  const twice = new Set(
    names.filter((name, index) => typeof name === "string" && names.indexOf(name) !== index),
  );
  return [...twice].map((name) =>
    `${name}: ${names.filter((other) => other === name).length} tools have this name`
  );
}
