/** `tools/list` is well-formed, names are unique, and every schema compiles. */
import type { ToolDefinition } from "../../../machines/model/plugin.ts";
import type { SchemaProblem } from "../../client/schema_problems.ts";
import { checkFailed, checkPassed, defineCheck } from "../check.ts";
import { textExcerpt } from "../../core/text.ts";
import { isObject } from "../../core/values.ts";

/** Most problems that are listed one by one. */
const mostTold = 100;

export default defineCheck({
  name: "tools_list",
  summary: "lists tools that clients can read",
  category: "protocol-error",
  onlyAsks: true,
  async run(context) {
    const tools = await context.tools();
    const malformed = [...tools.flatMap(shapeProblems), ...duplicates(tools)];
    const told = new Set(malformed.map(({ tool, which }) => `${tool} ${which}`));
    const readable = tools.filter((tool) => isObject(tool) && typeof tool.name === "string");
    const uncompiled = (await context.schemaProblems(readable)).filter(({ tool, which }) =>
      !told.has(`${tool} ${which}`)
    );
    const problems = [...malformed, ...uncompiled];
    const all = problems.slice(0, mostTold).map(({ tool, which, message }) =>
      `${tool}: ${which}: ${message}`
    );
    if (problems.length > mostTold) all.push(`… and ${problems.length - mostTold} more`);
    if (all.length > 0) {
      const category = malformed.length > 0 ? "protocol-error" : "schema-violation";
      return checkFailed(category, `tools/list is malformed: ${all.join("\n  ")}`, all);
    }
    return tools.length === 0 ? checkPassed("the server lists no tools") : checkPassed();
  },
});

/** Problem of a schema, or of another part of a definition. */
type ListProblem = Omit<SchemaProblem, "which"> & { which: string };

function shapeProblems(tool: ToolDefinition, index: number): ListProblem[] {
  const unnamed = { tool: `tool ${index}`, which: "name" };
  if (!isObject(tool)) return [{ ...unnamed, message: `is no object: ${textExcerpt(tool, 80)}` }];
  const { name, inputSchema, outputSchema, description } = tool as Record<string, unknown>;
  if (typeof name !== "string" || name === "") {
    return [{ ...unnamed, message: `has none: ${textExcerpt(tool, 80)}` }];
  }
  const problems: ListProblem[] = [];
  const report = (which: string, message: string) => problems.push({ tool: name, which, message });
  if (!isObject(inputSchema)) report("inputSchema", `is no object: ${textExcerpt(inputSchema, 80)}`);
  else if (inputSchema.type !== "object") {
    report("inputSchema", `must have type "object", it has ${textExcerpt(inputSchema.type, 80)}`);
  }
  if (outputSchema !== undefined && !isObject(outputSchema)) {
    report("outputSchema", `is no object: ${textExcerpt(outputSchema, 80)}`);
  }
  if (description !== undefined && typeof description !== "string") {
    report("description", `is no text: ${textExcerpt(description, 80)}`);
  }
  return problems;
}

function duplicates(tools: readonly ToolDefinition[]): ListProblem[] {
  const counts = new Map<string, number>();
  for (const tool of tools) {
    if (typeof tool?.name === "string") counts.set(tool.name, (counts.get(tool.name) ?? 0) + 1);
  }
  return [...counts].filter(([, count]) => count > 1)
    .map(([name, count]) => ({ tool: name, which: "name", message: `${count} tools have it` }));
}
