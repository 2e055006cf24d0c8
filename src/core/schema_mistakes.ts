/** Mistakes of a document against its schema, at their places. */
import * as z from "zod";
import { suggestion } from "./did_you_mean.ts";
import type { Problem } from "./problems.ts";
import type { Path, SourceDocument } from "./read_source.ts";
import { issueText, pathText } from "./issue_text.ts";
import { isObject, valueAt } from "./values.ts";

type Issue = z.core.$ZodIssue;

/** @param value Value of the document, or a variant of it with the same places */
export function schemaMistakes(
  file: string,
  document: SourceDocument,
  value: unknown,
  schema: z.ZodType,
): Problem[] {
  return (schema.safeParse(value).error?.issues ?? []).flatMap((issue) =>
    mistakesOf(issue, [], value, schema).map(({ at, key, message }) => ({
      file,
      ...(key === undefined ? document.place(at) : document.placeOfKey(at, key)),
      message,
    }))
  );
}

interface Mistake {
  at: Path;
  /** Set where the key itself is wrong, not its value. */
  key?: string;
  message: string;
}

function mistakesOf(issue: Issue, above: Path, root: unknown, schema: z.ZodType): Mistake[] {
  const at = [...above, ...issue.path as Path];
  const where = at.length === 0 ? "" : `${pathText(at)}: `;
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({
      at,
      key,
      message: `${where}unknown key "${key}"${suggestion(key, keysAt(schema, root, at))}`,
    }));
  }
  if (issue.code === "invalid_union") {
    if (issue.errors.length === 0) return [unknownType(at, root, schema)];
    const inMap = isObject(valueAt(root, at))
      ? issue.errors.find((branch) =>
        branch.every(({ path, code }) => path.length > 0 || code === "unrecognized_keys")
      )
      : undefined;
    if (inMap === undefined) return [{ at, message: `${where}${issue.message}` }];
    return inMap.flatMap((each) => mistakesOf(each, at, root, schema));
  }
  return [{ at, message: issueText({ ...issue, path: [...at] } as Issue, root) }];
}

/** The union of expectations is chosen by `type`. */
function unknownType(at: Path, root: unknown, schema: z.ZodType): Mistake {
  const known = branchesOf(unwrapped(schemaAt(schema, root, at.slice(0, -1))));
  const type = valueAt(root, at);
  const where = pathText(at);
  const names = known.join(", ");
  return typeof type === "string"
    ? { at, message: `${where}: unknown type "${type}"${suggestion(type, known)}` }
    : { at, message: `${where}: expected a type: ${names}` };
}

const branchesOf = (schema: unknown): string[] =>
  schema instanceof z.ZodDiscriminatedUnion
    ? schema.options.flatMap((option) => {
      const literal = (option as z.ZodObject).shape[schema.def.discriminator];
      return literal instanceof z.ZodLiteral ? [...literal.values].map(String) : [];
    })
    : [];

/** Keys that exist in the map at a path, for "did you mean". */
function keysAt(schema: z.ZodType, root: unknown, path: Path): string[] {
  const found = unwrapped(schemaAt(schema, root, path), valueAt(root, path));
  return found instanceof z.ZodObject ? Object.keys(found.shape) : [];
}

function schemaAt(schema: unknown, root: unknown, path: Path): unknown {
  let at = schema;
  let value = root;
  for (const step of path) {
    at = unwrapped(at, value);
    at = at instanceof z.ZodArray
      ? at.element
      : at instanceof z.ZodObject
      ? at.shape[step]
      : at instanceof z.ZodRecord
      ? at.valueType
      : undefined;
    value = (value as Record<string | number, unknown> | null | undefined)?.[step];
  }
  return at;
}

function unwrapped(schema: unknown, value?: unknown): unknown {
  if (schema instanceof z.ZodOptional) return unwrapped(schema.unwrap(), value);
  if (schema instanceof z.ZodDiscriminatedUnion) {
    const type = isObject(value) ? value[schema.def.discriminator] : undefined;
    return schema.options.find((option) => {
      const literal = (option as z.ZodObject).shape[schema.def.discriminator];
      return literal instanceof z.ZodLiteral && literal.values.has(type as string);
    }) ?? schema;
  }
  if (!(schema instanceof z.ZodUnion)) return schema;
  return unwrapped(
    schema.options.find((option) => option instanceof z.ZodObject) ?? schema.options[0],
    value,
  );
}
