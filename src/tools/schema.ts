/** A tool's input and answer as JSON Schema, the same for `tools/list` and the documentation. */
import { z } from "zod";
import type { AnyToolDefinition } from "./tool.ts";

export interface ObjectSchema {
  [keyword: string]: unknown;
  type: "object";
  properties?: Record<string, object>;
  required?: string[];
}

/** JSON Schema 2020-12 of what a caller may send (before defaults are filled in). */
export const inputSchema = ({ input }: AnyToolDefinition): ObjectSchema => schemaOf(input);

/** JSON Schema 2020-12 of the structured content. */
export const outputSchema = ({ output = z.object() }: AnyToolDefinition): ObjectSchema => schemaOf(output);

function schemaOf(type: z.ZodObject): ObjectSchema {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(type, { io: "input" });
  return schema as ObjectSchema;
}
