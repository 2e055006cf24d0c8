/** Describes tools as MCP does; apart from what answers first, which need not load the schemas. */
import type { AnyToolDefinition, RegisteredTool } from "../tools/tool.ts";
import { toolsetOf } from "../tools/toolset.ts";
import type { PreparedTool } from "./prepared_tools.ts";
import * as z from "zod";

/** Describes a tool for `deno task gen`, which writes what `preparedTools` reads. */
export function prepareTool(registered: RegisteredTool): PreparedTool {
  const { name, definition } = registered;
  const { title, description, annotations, dormant = false } = definition;
  return {
    dormant,
    toolset: toolsetOf(registered),
    tool: {
      name,
      title,
      description,
      inputSchema: inputSchema(definition),
      outputSchema: outputSchema(definition),
      annotations,
    },
  };
}

interface ObjectSchema {
  [keyword: string]: unknown;
  type: "object";
  properties?: Record<string, object>;
  required?: string[];
}

/** JSON Schema 2020-12 of what a caller may send (before defaults are filled in). */
export const inputSchema = ({ input }: AnyToolDefinition): ObjectSchema => schemaOf(input);

/** JSON Schema 2020-12 of the structured content. */
export const outputSchema = ({ output }: AnyToolDefinition): ObjectSchema => schemaOf(output);

type Schema = z.core.JSONSchema.BaseSchema;

/** Takes away what tells a caller nothing, and is paid for with each request of a model; it is checked all the same. */
function brief(schema: Schema): void {
  if (schema.minLength === 1) delete schema.minLength;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.format === "starts_with") delete schema.format;
  if (isAnyText(schema.propertyNames)) delete schema.propertyNames;
}

const isAnyText = (names: Schema["propertyNames"]): boolean =>
  typeof names === "object" && names.type === "string" && Object.keys(names).length === 1;

function schemaOf(type: z.ZodObject): ObjectSchema {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(type, {
    io: "input",
    override: ({ jsonSchema }) => brief(jsonSchema),
  });
  return schema as ObjectSchema;
}
