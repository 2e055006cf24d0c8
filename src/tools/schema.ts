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
