/** What a server's tool definitions lack for those who have to choose a tool by reading them. */
import type { ToolDefinition } from "../../machines/model/plugin.ts";
import type { Finding } from "../../machines/model/test_result.ts";
import { asSchema } from "./json_schema/schema.ts";
import { isObject } from "../values.ts";

/** Findings on descriptions, tool by tool. None of them makes a test fail. */
export function lintTools(tools: readonly ToolDefinition[]): Finding[] {
  return tools.flatMap((tool) => [...describesItself(tool), ...describesParameters(tool)]);
}

const isBlank = (text: unknown): boolean => typeof text !== "string" || text.trim() === "";

function describesItself({ name, description }: ToolDefinition): Finding[] {
  if (!isBlank(description)) return [];
  return [{
    severity: "warning",
    code: "missing-description",
    tool: name,
    message: `${name} has no description: a model cannot know when to use it`,
  }];
}

function describesParameters({ name, inputSchema }: ToolDefinition): Finding[] {
  const properties = Object.entries(asSchema(asSchema(inputSchema).properties));
  const silent = properties.filter(([, schema]) =>
    isObject(schema) && !("$ref" in schema) && isBlank(schema.description)
  );
  if (silent.length === 0) return [];
  return [{
    severity: "info",
    code: "missing-parameter-description",
    tool: name,
    message: `${name} does not describe: ${silent.map(([property]) => property).join(", ")}`,
  }];
}
