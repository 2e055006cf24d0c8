/** References and combinations of schemas brought down to one plain schema. */
import { resolvePointer } from "./walk_schema.ts";
import { asSchema, type Schema, type SchemaNode } from "./schema.ts";

/**
 * A schema without `$ref` and `allOf`; `seen` counts the references followed, so that a caller can end a recursion.
 * If two parts contradict each other on a keyword, the later one counts; callers validate the result.
 */
export function flattenSchema(
  node: SchemaNode | undefined,
  root: Schema,
  seen: string[] = [],
  depth = 0,
): Schema {
  let schema = asSchema(node);
  for (let hops = 0; typeof schema.$ref === "string" && hops < 20; hops++) {
    const { $ref, ...beside } = schema;
    seen.push($ref);
    schema = mergeSchemas(asSchema(resolvePointer($ref, root)), beside);
  }
  if (!Array.isArray(schema.allOf) || depth > 20) return schema;
  const { allOf, ...rest } = schema;
  return allOf.map((part) => flattenSchema(part, root, seen, depth + 1)).reduce(mergeSchemas, rest);
}

/** Both schemas at once: properties and required names add up, limits tighten. */
function mergeSchemas(a: Schema, b: Schema): Schema {
  const merged: Schema = { ...a, ...b };
  if (a.properties && b.properties) merged.properties = mergeProperties(a.properties, b.properties);
  if (a.required && b.required) merged.required = [...new Set([...a.required, ...b.required])];
  if (a.enum && b.enum) merged.enum = a.enum.filter((value) => b.enum!.includes(value));
  for (const key of ["minimum", "minLength", "minItems"] as const) tighten(merged, a, b, key, Math.max);
  for (const key of ["maximum", "maxLength", "maxItems"] as const) tighten(merged, a, b, key, Math.min);
  return merged;
}

function mergeProperties(
  a: Record<string, SchemaNode>,
  b: Record<string, SchemaNode>,
): Record<string, SchemaNode> {
  const both = Object.keys(b).filter((name) => name in a);
  return {
    ...a,
    ...b,
    ...Object.fromEntries(both.map((name) => [name, { allOf: [a[name]!, b[name]!] }])),
  };
}

type Limit = "minimum" | "minLength" | "minItems" | "maximum" | "maxLength" | "maxItems";

function tighten(
  merged: Schema,
  a: Schema,
  b: Schema,
  key: Limit,
  choose: (x: number, y: number) => number,
): void {
  if (a[key] !== undefined && b[key] !== undefined) merged[key] = choose(a[key], b[key]);
}

/** The alternatives that a schema offers, each merged with what holds for all; one without any is its own. */
export function schemaBranches(schema: Schema, root: Schema, seen: string[] = []): Schema[] {
  const key = Array.isArray(schema.oneOf) ? "oneOf" : Array.isArray(schema.anyOf) ? "anyOf" : undefined;
  if (key === undefined) return [schema];
  const { [key]: options, ...rest } = schema;
  return options!.map((option) => mergeSchemas(rest, flattenSchema(option, root, seen)));
}
