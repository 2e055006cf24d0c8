/** A tool's input as JSON Schema, the same for `tools/list` and the documentation. */
import { z } from "zod";
import type { AnyToolDefinition } from "./tool.ts";

export interface InputSchema {
  [keyword: string]: unknown;
  type: "object";
  properties?: Record<string, object>;
  required?: string[];
}

/** JSON Schema 2020-12 of what a caller may send (before defaults are filled in). */
export function inputSchema(definition: AnyToolDefinition): InputSchema {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(definition.input, { io: "input" });
  return schema as InputSchema;
}
