/**
 * Compares two JSON Schemas place by place and reports the effect on the set of allowed values.
 *
 * Sound where it decides: a combination that it cannot judge is reported as `cannot-tell`, never as compatible.
 */
import { resolvePointer } from "../testing/json_schema/walk_schema.ts";
import type { Schema } from "../testing/json_schema/schema.ts";
import { isObject } from "../core/values.ts";
import { compareAlternatives } from "./compare_alternatives.ts";
import { compareObjects } from "./compare_objects.ts";
import { compareValues } from "./compare_values.ts";
import type { Effect, SchemaChange, SchemaRole } from "./schema_changes.ts";
import { sameJson, stableJson } from "./likely_rename.ts";

/** One comparison, handed down to the parts of a schema. */
export interface SurfaceComparison {
  direction: SchemaRole;
  /** Documents that references point into. */
  roots: { before: unknown; after: unknown };
  /** Pairs of references under comparison, so that recursive schemas end. */
  open: Set<string>;
  /** Places that were compared; definitions that name each other twice come to more than anybody can wait for. */
  places: number;
  compare(before: unknown, after: unknown, path: string): SchemaChange[];
}

export const changeReporter =
  (path: string) => (effect: Effect, code: string, message: string): SchemaChange => ({
    effect,
    code,
    path,
    message,
  });

/** Schemas are objects or booleans; what is missing allows everything. */
export function compareSchemas(
  before: unknown,
  after: unknown,
  direction: SchemaRole,
  path: string,
): SchemaChange[] {
  if (sameJson(before, after)) return [];
  const comparison: SurfaceComparison = {
    direction,
    roots: { before, after },
    open: new Set(),
    places: 0,
    compare: (old, now, at) => compareNodes(old, now, at, comparison),
  };
  return comparison.compare(before, after, path);
}

/** Far more than a schema by hand has; they take less than a second. */
const mostPlaces = 20_000;

function compareNodes(
  before: unknown,
  after: unknown,
  path: string,
  comparison: SurfaceComparison,
): SchemaChange[] {
  const tell = changeReporter(path);
  if (++comparison.places > mostPlaces) {
    return [tell("unknown", "cannot-tell", `over ${mostPlaces} places: the rest was not compared`)];
  }
  if (before === false || after === false) {
    if (before === after) return [];
    return before === false
      ? [tell("widened", "allowed", "nothing was allowed here, now something is")]
      : [tell("narrowed", "forbidden", "nothing is allowed here any more")];
  }
  if (allowsAnything(before) && allowsAnything(after)) return [];
  const references = [referenceOf(before), referenceOf(after)];
  if (references.some((each) => each !== undefined)) {
    const pair = stableJson(references.map((each, side) => each ?? stableJson(side === 0 ? before : after)));
    if (comparison.open.has(pair)) return [];
    const [old, now] = [resolve(before, comparison.roots.before), resolve(after, comparison.roots.after)];
    if (old === undefined || now === undefined) return unresolved(before, after, path);
    comparison.open.add(pair);
    try {
      return compareNodes(old, now, path, comparison);
    } finally {
      comparison.open.delete(pair);
    }
  }
  const [old, now] = [isObject(before) ? before as Schema : {}, isObject(after) ? after as Schema : {}];
  return [
    ...compareTexts(old, now, path),
    ...compareAlternatives(old, now, path, comparison) ?? [
      ...compareValues(old, now, tell),
      ...compareObjects(old, now, path, comparison),
      ...compareItems(old, now, path, comparison),
      ...compareOthers(old, now, path, comparison),
    ],
  ];
}

const allowsAnything = (node: unknown): boolean => !isObject(node) || Object.keys(node).length === 0;

const referenceOf = (node: unknown): string | undefined =>
  isObject(node) && typeof node.$ref === "string" ? node.$ref : undefined;

/** Resolves a local reference, with the keywords next to it; undefined if it points out of this document. */
function resolve(node: unknown, root: unknown, depth = 0): unknown {
  const reference = referenceOf(node);
  if (reference === undefined) return node ?? {};
  const target = depth > 20 ? undefined : resolvePointer(reference, root);
  if (target === undefined) return undefined;
  const { $ref: _reference, ...beside } = node as Schema;
  const named = resolve(target, root, depth + 1);
  if (!isObject(named) || Object.keys(beside).length === 0) return named;
  return { ...named, ...beside };
}

function unresolved(before: unknown, after: unknown, path: string): SchemaChange[] {
  if (sameJson(before, after)) return [];
  const message = "a reference points outside of the schema: cannot tell what is allowed there";
  return [changeReporter(path)("unknown", "cannot-tell", message)];
}

function compareTexts(before: Schema, after: Schema, path: string): SchemaChange[] {
  const tell = changeReporter(path);
  const texts = ["title", "description"].flatMap((keyword) =>
    before[keyword] === after[keyword]
      ? []
      : [tell("text", `${keyword}-changed`, `the ${keyword} reads differently`)]
  );
  const fallback = sameJson(before.default, after.default) ? [] : [tell(
    "text",
    "default-changed",
    `the default was ${stableJson(before.default ?? "(none)")}, now it is ${
      stableJson(after.default ?? "(none)")
    }`,
  )];
  const deprecated = before.deprecated !== true && after.deprecated === true
    ? [tell("text", "deprecated", "it is now called deprecated")]
    : [];
  return [...texts, ...fallback, ...deprecated];
}

function compareItems(
  before: Schema,
  after: Schema,
  path: string,
  comparison: SurfaceComparison,
): SchemaChange[] {
  const [old, now] = [placesOf(before), placesOf(after)];
  if (old.tuple.length !== now.tuple.length) {
    const message = `${old.tuple.length} places of the list were described, now ${now.tuple.length} are`;
    return [changeReporter(path)("unknown", "cannot-tell", message)];
  }
  return [
    ...old.tuple.flatMap((place, index) =>
      comparison.compare(place, now.tuple[index], `${path}/prefixItems/${index}`)
    ),
    ...comparison.compare(old.rest, now.rest, `${path}/items`),
  ];
}

/** Older drafts write the places of a list as a list of `items`. */
function placesOf({ items, prefixItems, additionalItems }: Schema): { tuple: unknown[]; rest: unknown } {
  if (Array.isArray(items)) return { tuple: items, rest: additionalItems };
  return { tuple: prefixItems ?? [], rest: items };
}

/** Keywords that are compared as a whole: where they differ, it is not decidable which side allows more. */
const opaque = [
  "not",
  "if",
  "then",
  "else",
  "contains",
  "minContains",
  "maxContains",
  "propertyNames",
  "patternProperties",
  "dependentRequired",
  "dependentSchemas",
  "dependencies",
  "unevaluatedProperties",
  "unevaluatedItems",
  "$dynamicRef",
  "$recursiveRef",
];

const compareOthers = (
  before: Schema,
  after: Schema,
  path: string,
  { roots }: SurfaceComparison,
): SchemaChange[] =>
  opaque.filter((keyword) => !isSame(before[keyword], after[keyword], roots)).map((keyword) =>
    changeReporter(`${path}/${keyword}`)(
      "unknown",
      "cannot-tell",
      `${keyword} differs: cannot tell which side allows more`,
    )
  );

/** Whether two values are the same, including what their references point to. */
const isSame = (before: unknown, after: unknown, roots: SurfaceComparison["roots"]): boolean =>
  sameJson(before, after) &&
  (!stableJson(before ?? null).includes('"$ref"') || sameJson(roots.before, roots.after));
