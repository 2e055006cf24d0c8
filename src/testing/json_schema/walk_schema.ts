/** Every schema within a schema, with its place. */
import type { Schema } from "./schema.ts";
import { isObject } from "../../core/values.ts";

export interface SchemaPath {
  schema: Schema;
  /** Path like "filter/items", "" for the whole. */
  path: string;
  /** Objects and lists around it. */
  depth: number;
}

const maps = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
const lists = ["anyOf", "oneOf", "allOf", "prefixItems"];
const singles = ["items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames"];
/** Keywords that say a value within the value. */
const deeper = new Set([
  "properties",
  "patternProperties",
  "items",
  "prefixItems",
  "additionalProperties",
  "contains",
]);

/** Levels of keywords; a schema that goes on below them was made to hurt. */
const deepest = 200;

/** Visits the schema itself first. A reference is reported, not followed. */
export function walkSchema(node: unknown, path = "", depth = 0, level = 0): SchemaPath[] {
  if (!isObject(node) || level > deepest) return [];
  const inside = (keyword: string, name: string | undefined, child: unknown): SchemaPath[] => {
    const step = keyword === "properties" ? name! : name === undefined ? keyword : `${keyword}/${name}`;
    const place = path === "" ? step : `${path}/${step}`;
    return walkSchema(child, place, depth + (deeper.has(keyword) ? 1 : 0), level + 1);
  };
  return [
    { schema: node as Schema, path, depth },
    ...maps.flatMap((keyword) => {
      const map = node[keyword];
      return isObject(map)
        ? Object.entries(map).flatMap(([name, child]) => inside(keyword, name, child))
        : [];
    }),
    ...lists.flatMap((keyword) => {
      const list = node[keyword];
      return Array.isArray(list) ? list.flatMap((child, at) => inside(keyword, String(at), child)) : [];
    }),
    ...singles.flatMap((keyword) => inside(keyword, undefined, node[keyword])),
  ];
}

/** Places in a row, for one message. */
export function placesText(places: readonly SchemaPath[]): string {
  const names = places.map(({ path }) => path === "" ? "the schema itself" : path);
  return names.length <= 8
    ? names.join(", ")
    : `${names.slice(0, 8).join(", ")} and ${names.length - 8} more`;
}

/** Whether a `$ref` points into its own document by a path. */
export const isPointer = (reference: string): boolean => reference === "#" || reference.startsWith("#/");

/**
 * Resolves `#` or `#/$defs/node` in a schema; undefined if there is nothing, and for any other kind of reference.
 * Schemas come from the server: a path may name what every object has, or be invalid.
 */
export function resolvePointer(reference: string, root: unknown): unknown {
  if (!isPointer(reference)) return undefined;
  let node = root;
  for (const part of reference.split("/").slice(1)) {
    const key = decoded(part);
    if (Array.isArray(node)) node = node[Number(key)];
    else node = key !== undefined && isObject(node) && Object.hasOwn(node, key) ? node[key] : undefined;
  }
  return node;
}

function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}
