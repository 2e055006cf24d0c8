/** Inputs that a tool's schema allows. */
import { sampleNumber } from "./numbers.ts";
import { type Schema, typesOf } from "./schema.ts";
import {
  enumOf,
  type GeneratedInput,
  isDuration,
  type IsValid,
  type ProposedInput,
  schemaProperties,
} from "./schema_properties.ts";
import { flattenSchema, schemaBranches } from "./flatten_schema.ts";
import { withModeProperties } from "./with_mode_properties.ts";
import { type InputHints, isWorkingFolder, pathValue } from "./path_values.ts";
import { noSample, sampleValue } from "./sample_value.ts";
import { isObject } from "../../core/values.ts";

const key = (input: unknown): string => JSON.stringify(input);

/** Valid inputs, the plainest first; empty when none could be made. */
export function validInputs(schema: Schema, isValid: IsValid, hints: InputHints = {}): ProposedInput[] {
  const found: ProposedInput[] = [];
  const propose = (what: string, input: unknown) => {
    if (isObject(input) && isValid(input) && !found.some((other) => key(other.input) === key(input))) {
      found.push({ what, input });
    }
    return found.length;
  };
  const required = firstValid(schema, isValid, hints, "required");
  if (required === undefined) return [];
  const all = firstValid(schema, isValid, hints, "all");
  const forMode = withModeProperties(schema, required, all ?? {});
  const complete = isValid(forMode) ? forMode : required;
  const files = filesOf(schema, all ?? {}, hints);
  const placed = { ...complete, ...files.inPlaceOfDefaults };
  const base = Object.keys(files.inPlaceOfDefaults).length > 0 && isValid(placed) ? placed : complete;
  if (base !== complete) propose("where its files are", base);
  else if (base !== required) propose("what its mode requires", base);
  propose(Object.keys(required).length === 0 ? "no arguments" : "required only", required);
  propose("with its files", { ...base, ...files.all });
  propose("all properties", all);
  for (let branch = 1; branch < Math.min(4, topBranches(schema)); branch++) {
    propose(
      `variant ${branch + 1}`,
      sampleValue(schema, { properties: "required", prefer: "examples", branch, hints }),
    );
  }
  for (const { name, part } of schemaProperties(schema)) {
    for (const member of enumOf(part, schema).slice(0, 5)) {
      const chosen = { ...required, ...files.inPlaceOfDefaults, [name]: member };
      const complete = withModeProperties(schema, chosen, all ?? {});
      propose(`${name} = ${JSON.stringify(member)}`, isValid(complete) ? complete : chosen);
    }
  }
  propose("defaults", sampleValue(schema, { properties: "all", prefer: "default", branch: 0, hints }));
  return found;
}

/** Paths of an input: all, and those in place of a default that names the folder where the server happens to run. */
function filesOf(
  schema: Schema,
  all: GeneratedInput,
  hints: InputHints,
): Record<"all" | "inPlaceOfDefaults", GeneratedInput> {
  if (hints.files === undefined) return { all: {}, inPlaceOfDefaults: {} };
  const paths = schemaProperties(schema).filter(({ name, part }) =>
    Object.hasOwn(all, name) && pathValue(name, part.description, hints) !== undefined
  );
  const chosen = (parts: typeof paths) => Object.fromEntries(parts.map(({ name }) => [name, all[name]]));
  return {
    all: chosen(paths),
    inPlaceOfDefaults: chosen(paths.filter(({ part }) => isWorkingFolder(part.default))),
  };
}

/** Ways to make a value, the likeliest to work at the server first. */
function firstValid(
  schema: Schema,
  isValid: IsValid,
  hints: InputHints,
  properties: "required" | "all",
): GeneratedInput | undefined {
  for (const prefer of ["examples", "default", "none"] as const) {
    for (const branch of [0, 1, 2, 3]) {
      const value = sampleValue(schema, { properties, prefer, branch, hints });
      if (value !== noSample && isObject(value) && isValid(value)) return value;
    }
  }
  return undefined;
}

function topBranches(schema: Schema): number {
  return schemaBranches(flattenSchema(schema, schema), schema).length;
}

/** Makes a valid input for many calls: like `base`, but with short delays where the server would sleep by default. */
export function quickInput(schema: Schema, base: GeneratedInput, isValid: IsValid): GeneratedInput {
  const numeric = schemaProperties(schema).filter(({ part }) =>
    typesOf(part).some((type) => /^(?:integer|number)$/.test(type))
  );
  const slow = numeric.filter(({ name, part }) => isDuration(name) && Number(base[name] ?? part.default) > 1);
  const quick = {
    ...base,
    ...Object.fromEntries(slow.map(({ name, part }) => [name, sampleNumber(part, true)])),
  };
  return isValid(quick) ? quick : base;
}
