/** `anyOf`, `oneOf` and `allOf`: what choices and combinations came to allow. */
import type { Schema } from "../testing/json_schema/schema.ts";
import { isObject } from "../core/values.ts";
import { changeReporter, type SurfaceComparison } from "./compare_schemas.ts";
import { allowedValues } from "./compare_values.ts";
import type { SchemaChange } from "./schema_changes.ts";
import { sameJson } from "./likely_rename.ts";

/** Keywords that say nothing about which values are allowed. */
const annotations = new Set(
  "title description default examples example deprecated $comment $schema $id $defs definitions readOnly writeOnly"
    .split(" "),
);

/**
 * Changes between two schemas of which one at least combines others; undefined where neither does, or where lists of constants
 * are compared as such.
 */
export function compareAlternatives(
  before: Schema,
  after: Schema,
  path: string,
  comparison: SurfaceComparison,
): SchemaChange[] | undefined {
  if (!combines(before) && !combines(after)) return undefined;
  if (allowedValues(before) !== undefined && allowedValues(after) !== undefined) return undefined;
  const [old, now] = [choicesOf(before), choicesOf(after)];
  if (old !== undefined && now !== undefined) return compareChoices(old, now, path, comparison);
  return compareParts(before, after, path, comparison);
}

const combines = ({ anyOf, oneOf, allOf }: Schema): boolean => [anyOf, oneOf, allOf].some(Array.isArray);

interface Choices {
  keyword: string;
  members: unknown[];
}

/** A schema as a choice: of its members where it is nothing but one, of itself where it combines nothing. */
function choicesOf(schema: Schema): Choices | undefined {
  if (!combines(schema)) {
    const { title: _title, description: _description, default: _default, ...rest } = schema;
    return { keyword: "anyOf", members: [rest] };
  }
  const keywords = Object.keys(schema).filter((keyword) => !annotations.has(keyword));
  const [keyword] = keywords;
  if (keywords.length !== 1 || (keyword !== "anyOf" && keyword !== "oneOf")) return undefined;
  return { keyword, members: schema[keyword] ?? [] };
}

function compareChoices(
  old: Choices,
  now: Choices,
  path: string,
  comparison: SurfaceComparison,
): SchemaChange[] {
  const place = `${path}/${now.keyword}`;
  if (![old, now].every(isSimpleChoice)) return compareUnclear(old, now, place, comparison);
  const gone = old.members.filter((member) =>
    !now.members.some((other) => within(member, other, comparison))
  );
  const came = now.members.filter((member) =>
    !old.members.some((other) => within(member, other, comparison))
  );
  // A single alternative that stands where another stood is the same one, changed.
  if (gone.length === 1 && came.length === 1) return comparison.compare(gone[0], came[0], place);
  return [
    ...gone.map((member) =>
      changeReporter(place)("narrowed", "alternative-removed", `no longer allowed: ${named(member)}`)
    ),
    ...came.map((member) =>
      changeReporter(place)("widened", "alternative-added", `newly allowed: ${named(member)}`)
    ),
  ];
}

/**
 * Compares alternatives that may overlap. Of `oneOf` exactly one must hold, so that a difference in one changes
 * what the others allow.
 */
function compareUnclear(
  old: Choices,
  now: Choices,
  place: string,
  { compare }: SurfaceComparison,
): SchemaChange[] {
  const differs = old.keyword !== now.keyword || old.members.length !== now.members.length ||
    old.members.some((member, at) =>
      compare(member, now.members[at], place).some(({ effect }) => effect !== "text")
    );
  const message =
    "alternatives that may overlap, and of which exactly one must hold, differ: cannot tell what is allowed";
  return differs ? [changeReporter(place)("unknown", "cannot-tell", message)] : [];
}

/** Whether a schema allows nothing that the other does not, as far as that can be decided. */
const within = (schema: unknown, other: unknown, { compare }: SurfaceComparison): boolean =>
  compare(schema, other, "").every(({ effect }) => effect === "widened" || effect === "text");

/** Whether more alternatives always allow more: of `oneOf`, only where none overlaps with another. */
const isSimpleChoice = ({ keyword, members }: Choices): boolean =>
  keyword === "anyOf" || areDisjoint(members);

function areDisjoint(members: readonly unknown[]): boolean {
  const types = members.map((member) =>
    isObject(member) && typeof member.type === "string" ? member.type : ""
  );
  const numbers = types.filter((type) => type === "number" || type === "integer").length;
  if (!types.includes("") && new Set(types).size === types.length && numbers < 2) return true;
  return discriminators(members).some((name) => {
    const constants = members.map((member) => constantOf(member, name));
    return constants.every((each, at) => each !== undefined && constants.indexOf(each) === at);
  });
}

const discriminators = ([first]: readonly unknown[]): string[] =>
  isObject(first) && isObject(first.properties) ? Object.keys(first.properties) : [];

/** The one value, as JSON, that a required field of an alternative can have. */
function constantOf(member: unknown, name: string): string | undefined {
  if (!isObject(member) || !isObject(member.properties)) return undefined;
  const field = member.properties[name];
  const values = isObject(field) ? allowedValues(field as Schema) : undefined;
  const required = Array.isArray(member.required) && member.required.includes(name);
  return required && values?.length === 1 ? JSON.stringify(values[0]) : undefined;
}

function named(member: unknown): string {
  if (!isObject(member)) return String(member);
  const what = member.title ?? member.type ?? member.$ref ?? Object.keys(member).join(", ");
  return String(what) || "anything";
}

/** Compares combinations next to other keywords: equal ones are left out, the rest is compared as usual. */
function compareParts(
  before: Schema,
  after: Schema,
  path: string,
  comparison: SurfaceComparison,
): SchemaChange[] {
  const [rest, all] = [[before, after].map(withoutCombinations), compareAll(before, after, path, comparison)];
  const choices = (["anyOf", "oneOf"] as const).filter((keyword) =>
    !sameJson(before[keyword], after[keyword])
  );
  const compared = choices.flatMap((keyword) => {
    const [old, now] = [before[keyword], after[keyword]];
    const tell = changeReporter(`${path}/${keyword}`);
    if (old === undefined) {
      return [tell("narrowed", "alternatives-added", "one of several alternatives must now hold")];
    }
    if (now === undefined) {
      return [tell("widened", "alternatives-removed", "no alternative must hold any more")];
    }
    return compareChoices({ keyword, members: old }, { keyword, members: now }, path, comparison);
  });
  // Texts were compared by the caller, before the schema was taken apart.
  const others = comparison.compare(rest[0], rest[1], path).filter(({ path: at, effect }) =>
    at !== path || effect !== "text"
  );
  return [...others, ...all, ...compared];
}

function withoutCombinations({ anyOf: _any, oneOf: _one, allOf: _all, ...rest }: Schema): Schema {
  return rest;
}

/** All of them must hold: a part that came forbids, one that went allows. */
function compareAll(
  before: Schema,
  after: Schema,
  path: string,
  comparison: SurfaceComparison,
): SchemaChange[] {
  const [old, now] = [before.allOf ?? [], after.allOf ?? []];
  const gone = old.filter((part) => !now.some((other) => sameJson(part, other)));
  const came = now.filter((part) => !old.some((other) => sameJson(part, other)));
  const kept = old.filter((part) => !gone.includes(part));
  const place = `${path}/allOf`;
  const tell = changeReporter(place);
  return [
    // What reads the same may refer to what does not.
    ...kept.flatMap((part) => comparison.compare(part, part, place)),
    ...compareConditions(gone, came, place, comparison) ?? [
      tell("unknown", "cannot-tell", "the conditions that must all hold differ: cannot tell what is allowed"),
    ],
  ];
}

function compareConditions(
  gone: readonly unknown[],
  came: readonly unknown[],
  place: string,
  { compare }: SurfaceComparison,
): SchemaChange[] | undefined {
  if (gone.length === came.length) return gone.flatMap((part, at) => compare(part, came[at], place));
  const tell = changeReporter(place);
  if (gone.length === 0) return [tell("narrowed", "condition-added", "another condition must hold")];
  if (came.length === 0) return [tell("widened", "condition-removed", "a condition need not hold any more")];
  return undefined;
}
