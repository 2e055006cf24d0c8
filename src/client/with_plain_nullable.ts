/** OpenAPI's `nullable`, which ajv knows and JSON Schema does not. */
import { isObject } from "../core/values.ts";

/** Keywords that hold data, not schemas. */
const data = new Set(["const", "default", "enum", "examples"]);

/**
 * Copy of a schema without `nullable` where no `type` is with it: JSON Schema ignores a keyword that it does not know,
 * while ajv refuses the whole schema. Listed values and alternatives then include null, as the author meant. The schema has no
 * circles and few levels (`schemaExcess`).
 */
export function withPlainNullable(schema: Record<string, unknown>): Record<string, unknown> {
  const isStray = typeof schema.nullable === "boolean" && schema.type === undefined;
  const entries = Object.entries(schema).filter(([key]) => !(isStray && key === "nullable"));
  return Object.fromEntries(entries.map(([key, value]) => {
    const plain = data.has(key) ? value : inside(value);
    const allowed = isStray && schema.nullable === true ? nullIn[key] : undefined;
    return [key, Array.isArray(plain) && allowed !== undefined ? [...plain, allowed.item] : plain];
  }));
}

/** Item that stands for null in a list of values or of alternatives. */
const nullIn: Record<string, { item: unknown }> = {
  enum: { item: null },
  anyOf: { item: { type: "null" } },
  oneOf: { item: { type: "null" } },
};

const inside = (value: unknown): unknown =>
  Array.isArray(value) ? value.map(inside) : isObject(value) ? withPlainNullable(value) : value;
