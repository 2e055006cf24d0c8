/** Keywords of a schema that limit a single value: types, enums, bounds, patterns. */
import type { Schema } from "../testing/json_schema/schema.ts";
import { typesOf } from "../testing/json_schema/schema.ts";
import { isObject } from "../core/values.ts";
import type { Effect, SchemaChange } from "./schema_changes.ts";
import { sameJson, stableJson } from "./likely_rename.ts";

type Tell = (effect: Effect, code: string, message: string) => SchemaChange;

export function compareValues(before: Schema, after: Schema, tell: Tell): SchemaChange[] {
  return [
    ...compareTypes(before, after, tell),
    ...compareEnums(before, after, tell),
    ...limits.flatMap((limit) => compareLimit(limit, before, after, tell)),
    ...compareMultiple(before, after, tell),
    ...compareUnique(before, after, tell),
    ...["pattern", "format", "contentEncoding", "contentMediaType"].flatMap((keyword) =>
      compareOpaque(keyword, before, after, tell)
    ),
  ];
}

/** Types that a schema names, or that the values have which it lists; undefined: any. */
function namedTypes(schema: Schema): string[] | undefined {
  if (schema.type !== undefined) return typesOf(schema);
  const values = allowedValues(schema);
  return values && [...new Set(values.map(typeOfValue))];
}

function typeOfValue(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return Number.isInteger(value) ? "integer" : typeof value;
}

const covers = (types: readonly string[], type: string): boolean =>
  types.includes(type) || (type === "integer" && types.includes("number"));

function compareTypes(before: Schema, after: Schema, tell: Tell): SchemaChange[] {
  const [old, now] = [namedTypes(before), namedTypes(after)];
  if (old === undefined && now === undefined) return [];
  // Where both list their values, the lists decide.
  if (allowedValues(before) !== undefined && allowedValues(after) !== undefined) return [];
  if (old === undefined) {
    return [tell("narrowed", "type-narrowed", `any type was allowed, now only ${now!.join(", ")}`)];
  }
  if (now === undefined) {
    return [tell("widened", "type-widened", `only ${old.join(", ")} was allowed, now any type`)];
  }
  const lost = old.filter((type) => !covers(now, type));
  const gained = now.filter((type) => !covers(old, type));
  const message = `the type was ${old.join(" or ")}, now it is ${now.join(" or ")}`;
  if (lost.length > 0 && gained.length > 0) {
    return [tell("changed", "type-changed", message)];
  }
  if (lost.length > 0) return [tell("narrowed", "type-narrowed", message)];
  return gained.length > 0 ? [tell("widened", "type-widened", message)] : [];
}

/** Values that a schema lists; a choice between constants is a list, too. Undefined: any. */
export function allowedValues({ enum: listed, const: only, anyOf, oneOf }: Schema): unknown[] | undefined {
  if (Array.isArray(listed)) return listed;
  if (only !== undefined) return [only];
  const members = anyOf ?? oneOf;
  if (!Array.isArray(members) || members.length === 0) return undefined;
  const values = members.map((member) =>
    isObject(member) && ("const" in member || "enum" in member) ? allowedValues(member as Schema) : undefined
  );
  return values.every((each) => each !== undefined) ? values.flat() : undefined;
}

function compareEnums(before: Schema, after: Schema, tell: Tell): SchemaChange[] {
  const [old, now] = [allowedValues(before), allowedValues(after)];
  if (old === undefined && now === undefined) return [];
  if (old === undefined) {
    return [tell("narrowed", "enum-added", `any value was allowed, now only ${listed(now!)}`)];
  }
  if (now === undefined) {
    return [tell("widened", "enum-removed", `only ${listed(old)} was allowed, now any value`)];
  }
  const lost = old.filter((value) => !now.some((other) => sameJson(value, other)));
  const gained = now.filter((value) => !old.some((other) => sameJson(value, other)));
  return [
    ...(lost.length > 0 ? [tell("narrowed", "enum-narrowed", `no longer allowed: ${listed(lost)}`)] : []),
    ...(gained.length > 0 ? [tell("widened", "enum-widened", `newly allowed: ${listed(gained)}`)] : []),
  ];
}

const listed = (values: readonly unknown[]): string => {
  const shown = values.slice(0, 8).map((value) => stableJson(value)).join(", ");
  return values.length > 8 ? `${shown} and ${values.length - 8} more` : shown;
};

interface Limit {
  keyword: string;
  /** Whether a greater number allows less. */
  lower: boolean;
  /** The bound in force; undefined: none. */
  of(schema: Schema): { value: number; exclusive: boolean } | undefined;
}

const plain = (keyword: string, lower: boolean): Limit => ({
  keyword,
  lower,
  of(schema) {
    const value = schema[keyword];
    // A lowest length of 0 forbids nothing.
    return typeof value === "number" && !(lower && value <= 0) ? { value, exclusive: false } : undefined;
  },
});

/** `minimum` with `exclusiveMinimum`, a number today and a flag in draft 4. */
const bound = (keyword: "minimum" | "maximum", lower: boolean): Limit => ({
  keyword,
  lower,
  of(schema) {
    const inclusive = schema[keyword];
    const exclusive = schema[lower ? "exclusiveMinimum" : "exclusiveMaximum"];
    if (typeof exclusive !== "number") {
      return typeof inclusive === "number" ? { value: inclusive, exclusive: exclusive === true } : undefined;
    }
    const wins = typeof inclusive !== "number" || (lower ? exclusive >= inclusive : exclusive <= inclusive);
    return wins ? { value: exclusive, exclusive: true } : { value: inclusive, exclusive: false };
  },
});

const limits: Limit[] = [
  bound("minimum", true),
  bound("maximum", false),
  ...["minLength", "minItems", "minProperties"].map((keyword) => plain(keyword, true)),
  ...["maxLength", "maxItems", "maxProperties"].map((keyword) => plain(keyword, false)),
];

function compareLimit(limit: Limit, before: Schema, after: Schema, tell: Tell): SchemaChange[] {
  const { keyword, lower } = limit;
  const [old, now] = [limit.of(before), limit.of(after)];
  const words = (bound: typeof old) =>
    bound === undefined ? "none" : `${bound.value}${bound.exclusive ? " (excluded)" : ""}`;
  const message = `${keyword} was ${words(old)}, now it is ${words(now)}`;
  const difference = strictness(now, lower) - strictness(old, lower);
  const tighter = difference > 0 ||
    (difference === 0 && now?.exclusive === true && old?.exclusive === false);
  const looser = difference < 0 || (difference === 0 && old?.exclusive === true && now?.exclusive === false);
  if (tighter) return [tell("narrowed", "limit-tightened", message)];
  return looser ? [tell("widened", "limit-loosened", message)] : [];
}

/** Grows with what a bound forbids. */
const strictness = (bound: { value: number } | undefined, lower: boolean): number => {
  if (bound === undefined) return -Number.MAX_VALUE;
  return lower ? bound.value : -bound.value;
};

function compareMultiple(before: Schema, after: Schema, tell: Tell): SchemaChange[] {
  const [old, now] = [before.multipleOf, after.multipleOf];
  if (old === now) return [];
  const message = `multipleOf was ${old ?? "none"}, now it is ${now ?? "none"}`;
  if (old === undefined || (now !== undefined && now % old === 0)) {
    return [tell("narrowed", "limit-tightened", message)];
  }
  if (now === undefined || old % now === 0) return [tell("widened", "limit-loosened", message)];
  return [tell("changed", "limit-changed", message)];
}

function compareUnique(before: Schema, after: Schema, tell: Tell): SchemaChange[] {
  const [old, now] = [before.uniqueItems === true, after.uniqueItems === true];
  if (old === now) return [];
  return now
    ? [tell("narrowed", "limit-tightened", "items must now differ")]
    : [tell("widened", "limit-loosened", "items need not differ any more")];
}

/** A keyword whose values cannot be compared with each other, only be there or not. */
function compareOpaque(keyword: string, before: Schema, after: Schema, tell: Tell): SchemaChange[] {
  const [old, now] = [before[keyword], after[keyword]];
  if (sameJson(old, now)) return [];
  if (old === undefined) {
    return [tell("narrowed", `${keyword}-added`, `${keyword} ${stableJson(now)} is now asked for`)];
  }
  if (now === undefined) {
    return [tell("widened", `${keyword}-removed`, `${keyword} ${stableJson(old)} is no longer asked for`)];
  }
  const message = `${keyword} was ${stableJson(old)}, now it is ${
    stableJson(now)
  }: cannot tell which allows more`;
  return [tell("unknown", "cannot-tell", message)];
}
