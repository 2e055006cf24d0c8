/** `tools/list` is well-formed, names are unique, and every schema compiles. */
import type { ToolDefinition } from "../../../machines/model/plugin.ts";
import { type CheckContext, checkFailed, checkPassed, defineCheck } from "../check.ts";
import { excerpt } from "../excerpt.ts";
import { isObject } from "../../values.ts";

export default defineCheck({
  name: "tools_list",
  summary: "lists tools that clients can read",
  category: "protocol-error",
  async run(context) {
    const tools = await context.tools();
    const malformed = [...tools.flatMap(shapeProblems), ...duplicates(tools)];
    const told = new Set(malformed.map(({ tool, which }) => `${tool} ${which}`));
    const readable = tools.filter((tool) => isObject(tool) && typeof tool.name === "string");
    const uncompiled = context.schemaProblems(readable).filter(({ tool, which }) =>
      !told.has(`${tool} ${which}`)
    );
    const all = [...malformed, ...uncompiled].map(({ tool, which, message }) =>
      `${tool}: ${which}: ${message}`
    );
    if (all.length > 0) {
      const category = malformed.length > 0 ? "protocol-error" : "schema-violation";
      return checkFailed(category, `tools/list is malformed: ${all.join("\n  ")}`, all);
    }
    return tools.length === 0 ? checkPassed("the server lists no tools") : checkPassed();
  },
});

type ToolProblem = ReturnType<CheckContext["schemaProblems"]>[number];

function shapeProblems(tool: ToolDefinition, index: number): ToolProblem[] {
  const unnamed = { tool: `tool ${index}`, which: "name" };
  if (!isObject(tool)) return [{ ...unnamed, message: `is no object: ${excerpt(tool, 80)}` }];
  const { name, inputSchema, outputSchema, description } = tool as Record<string, unknown>;
  if (typeof name !== "string" || name === "") {
    return [{ ...unnamed, message: `has none: ${excerpt(tool, 80)}` }];
  }
  const problems: ToolProblem[] = [];
  const report = (which: string, message: string) => problems.push({ tool: name, which, message });
  if (!isObject(inputSchema)) report("inputSchema", `is no object: ${excerpt(inputSchema, 80)}`);
  else if (inputSchema.type !== "object") {
    report("inputSchema", `must have type "object", it has ${excerpt(inputSchema.type, 80)}`);
  }
  if (outputSchema !== undefined && !isObject(outputSchema)) {
    report("outputSchema", `is no object: ${excerpt(outputSchema, 80)}`);
  }
  if (description !== undefined && typeof description !== "string") {
    report("description", `is no text: ${excerpt(description, 80)}`);
  }
  return problems;
}

function duplicates(tools: readonly ToolDefinition[]): ToolProblem[] {
  const names = tools.map((tool) => tool?.name);
  const twice = new Set(
    names.filter((name, index) => typeof name === "string" && names.indexOf(name) !== index),
  );
  return [...twice].map((name) => {
    const count = names.filter((other) => other === name).length;
    return { tool: name, which: "name", message: `${count} tools have it` };
  });
}
