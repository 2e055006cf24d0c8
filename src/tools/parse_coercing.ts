/**
 * Arguments that arrive in the wrong wrapping.
 *
 * Hosts sometimes send arrays, objects, numbers and booleans as JSON strings, and null for an argument that is not
 * given. Only what the schema refuses is touched: a string that may be a string stays one.
 */
import type { z } from "zod";

type Path = readonly PropertyKey[];
type Container = Record<PropertyKey, unknown>;

/** An array of JSON strings of numbers takes two rounds; deeper wrapping has not been seen. */
const rounds = 3;

/** Parses the input; where that fails, once more with the refused values unwrapped. */
export function parseCoercing<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
): z.ZodSafeParseResult<z.output<Schema>> {
  let candidate = input;
  let parsed = schema.safeParse(candidate);
  for (let round = 0; round < rounds && !parsed.success; round++) {
    const next = structuredClone(candidate);
    const touched = parsed.error.issues.map((issue) => unwrap(next, issue.path));
    if (!touched.includes(true)) break;
    candidate = next;
    parsed = schema.safeParse(candidate);
  }
  return parsed;
}

/** Replaces the value at the path by what its JSON says, or removes a null; false where there is nothing to do. */
function unwrap(root: unknown, path: Path): boolean {
  const key = path.at(-1);
  const holder = path.slice(0, -1).reduce<unknown>(
    (at, step) => isContainer(at) ? at[step] : undefined,
    root,
  );
  if (key === undefined || !isContainer(holder)) return false;
  const value = holder[key];
  if (value === null && !Array.isArray(holder)) return delete holder[key];
  if (typeof value !== "string") return false;
  const inner = parseJson(value);
  if (inner === undefined || typeof inner === "string") return false;
  holder[key] = inner;
  return true;
}

const isContainer = (value: unknown): value is Container => typeof value === "object" && value !== null;

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // Not JSON is an ordinary string; the schema's own message says what was expected.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
