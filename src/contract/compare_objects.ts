/** Fields of an object: which there are, which are required, whether others are allowed. */
import type { Schema } from "../testing/json_schema/schema.ts";
import { isObject } from "../core/values.ts";
import { changeReporter, type SurfaceComparison } from "./compare_schemas.ts";
import { likelyRename } from "./likely_rename.ts";
import type { SchemaChange } from "./schema_changes.ts";

export function compareObjects(
  before: Schema,
  after: Schema,
  path: string,
  comparison: SurfaceComparison,
): SchemaChange[] {
  const [old, now] = [fieldsOf(before), fieldsOf(after)];
  const at = (name: string) => `${path}/properties/${name}`;
  const both = [...old.properties.keys()].filter((name) => now.properties.has(name));
  const gone = [...old.properties.keys()].filter((name) => !now.properties.has(name));
  const added = [...now.properties.keys()].filter((name) => !old.properties.has(name));
  return [
    ...both.flatMap((name) =>
      comparison.compare(old.properties.get(name), now.properties.get(name), at(name))
    ),
    ...gone.map((name) => removed(name, at(name), old, now, added, comparison)),
    ...added.map((name) => fieldAdded(name, at(name), now, comparison)),
    ...requiredChanges(old, now, at),
    ...compareOthers(before, after, path, comparison),
  ];
}

interface Fields {
  properties: Map<string, unknown>;
  required: Set<string>;
  closed: boolean;
}

const fieldsOf = ({ properties, required, additionalProperties }: Schema): Fields => ({
  properties: new Map(Object.entries(isObject(properties) ? properties : {})),
  required: new Set(Array.isArray(required) ? required : []),
  closed: additionalProperties === false,
});

function removed(
  name: string,
  path: string,
  old: Fields,
  now: Fields,
  added: readonly string[],
  { direction }: SurfaceComparison,
): SchemaChange {
  const candidates = added.map((other) => ({ name: other, shape: now.properties.get(other) }));
  const renamed = likelyRename({ name, shape: old.properties.get(name) }, candidates);
  const hint = renamed === undefined ? "" : `; it was likely renamed to ${renamed}`;
  const tell = changeReporter(path);
  if (direction === "output") return tell("widened", "field-removed", `${name} is no longer answered${hint}`);
  if (now.closed) return tell("narrowed", "field-removed", `${name} is no longer accepted${hint}`);
  return tell(
    "text",
    "field-removed",
    `${name} is no longer described; clients that send it are not refused${hint}`,
  );
}

/** New fields harm no reader; who sends is harmed by one that must be there. */
function fieldAdded(
  name: string,
  path: string,
  { required }: Fields,
  { direction }: SurfaceComparison,
): SchemaChange {
  const tell = changeReporter(path);
  if (direction === "output") return tell("narrowed", "field-added", `${name} is new`);
  return required.has(name)
    ? tell("narrowed", "required-field-added", `${name} is new and required`)
    : tell("widened", "field-added", `${name} is new and optional`);
}

function requiredChanges(old: Fields, now: Fields, at: (name: string) => string): SchemaChange[] {
  const isNew = (name: string) => now.properties.has(name) && !old.properties.has(name);
  const isGone = (name: string) => old.properties.has(name) && !now.properties.has(name);
  const asked = [...now.required].filter((name) => !old.required.has(name) && !isNew(name));
  const freed = [...old.required].filter((name) => !now.required.has(name) && !isGone(name));
  return [
    ...asked.map((name) => changeReporter(at(name))("narrowed", "field-required", `${name} is now required`)),
    ...freed.map((name) =>
      changeReporter(at(name))("widened", "field-optional", `${name} is no longer required`)
    ),
  ];
}

function compareOthers(
  before: Schema,
  after: Schema,
  path: string,
  comparison: SurfaceComparison,
): SchemaChange[] {
  const [old, now] = [before.additionalProperties, after.additionalProperties];
  const place = `${path}/additionalProperties`;
  if (old === false && now !== false) {
    const effect = comparison.direction === "output" ? "text" : "widened";
    return [changeReporter(place)(effect, "object-opened", "fields that are not described are now allowed")];
  }
  if (old !== false && now === false) {
    return [
      changeReporter(place)("narrowed", "object-closed", "fields that are not described are now refused"),
    ];
  }
  return comparison.compare(old, now, place);
}
