/** What local references name. */
import { isObject } from "../../core/values.ts";

/** Whether a `$ref` points into its own document by a path. */
export const isPointer = (reference: string): boolean => reference === "#" || reference.startsWith("#/");

/**
 * What `#` or `#/$defs/node` names in a schema; undefined where there is nothing, and for any other kind of reference.
 * Schemas are the server's: a path may name what every object has, or be no path at all.
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
