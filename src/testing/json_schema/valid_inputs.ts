/** Inputs that a tool's schema allows. */
import { sampleNumber } from "./numbers.ts";
import { asSchema, type Schema, typesOf } from "./schema.ts";
import {
  enumOf,
  type GeneratedInput,
  isDuration,
  type IsValid,
  type ProposedInput,
  schemaProperties,
} from "./schema_properties.ts";
import { flattenSchema, schemaBranches } from "./flatten_schema.ts";
import { withConditions } from "./with_conditions.ts";
import { withModeProperties } from "./with_mode_properties.ts";
import { type InputHints, isWorkingFolder, pathValue } from "./path_values.ts";
import { noSample, sampleValue } from "./sample_value.ts";
import { withCodeOfLanguage } from "./code_samples.ts";
import { isObject } from "../../core/values.ts";

const key = (input: unknown): string => JSON.stringify(input);

/** Valid inputs, the plainest first; empty when none could be made. */
export function validInputs(schema: Schema, isValid: IsValid, hints: InputHints = {}): ProposedInput[] {
  const found: ProposedInput[] = [];
  const propose = (what: string, proposed: unknown) => {
    if (!isObject(proposed)) return found.length;
    const conditioned = completed(schema, proposed, isValid, hints);
    const inLanguage = withCodeOfLanguage(conditioned);
    const input = isValid(inLanguage) ? inLanguage : conditioned;
    if (isValid(input) && !found.some((other) => key(other.input) === key(input))) {
      found.push({ what, input });
    }
    return found.length;
  };
  const required = firstValid(schema, isValid, hints, "required");
  if (required === undefined) return [];
  const all = firstValid(schema, isValid, hints, "all");
  const inMode = (input: GeneratedInput) =>
    withModeProperties(schema, input, all ?? {}, hints.tool?.description);
  const forMode = inMode(required);
  const complete = isValid(forMode) ? forMode : required;
  const files = filesOf(schema, all ?? {}, hints);
  const placed = { ...complete, ...files.inPlaceOfDefaults };
  const base = Object.keys(files.inPlaceOfDefaults).length > 0 && isValid(placed) ? placed : complete;
  if (base !== complete) propose("where its files are", base);
  else if (base !== required) propose("what its mode requires", base);
  propose(Object.keys(required).length === 0 ? "no arguments" : "required only", required);
  propose("with its files", { ...base, ...files.all });
  propose("of a file made before", { ...base, ...files.made });
  propose("all properties", all);
  for (let branch = 1; branch < Math.min(4, mostBranches(schema)); branch++) {
    propose(
      `variant ${branch + 1}`,
      sampleValue(schema, { properties: "required", prefer: "examples", branch, hints }),
    );
  }
  for (const { name, part } of schemaProperties(schema)) {
    for (const member of enumOf(part, schema).slice(0, 5)) {
      const choose = (input: GeneratedInput) => ({ ...input, ...files.inPlaceOfDefaults, [name]: member });
      const bare = completed(schema, choose(unconditional(schema, required)), isValid, hints);
      const chosen = isValid(bare) ? bare : choose(required);
      const complete = inMode(chosen);
      propose(`${name} = ${JSON.stringify(member)}`, isValid(complete) ? complete : chosen);
    }
  }
  propose("defaults", sampleValue(schema, { properties: "all", prefer: "default", branch: 0, hints }));
  return found;
}

const isInExamples = (value: unknown): boolean => typeof value === "string" && /\/example\.\w+$/.test(value);

/** Paths of an input: all, those of files that an earlier tool made, and those in place of a default that names the folder where the server happens to run. */
function filesOf(
  schema: Schema,
  all: GeneratedInput,
  hints: InputHints,
): Record<"all" | "inPlaceOfDefaults" | "made", GeneratedInput> {
  if (hints.files === undefined) return { all: {}, inPlaceOfDefaults: {}, made: {} };
  const paths = schemaProperties(schema).filter(({ name, part }) =>
    Object.hasOwn(all, name) && pathValue(name, part.description, hints) !== undefined
  );
  const chosen = (parts: typeof paths) => Object.fromEntries(parts.map(({ name }) => [name, all[name]]));
  return {
    all: chosen(paths),
    // A server with files of its own has none but those that its tools make.
    made: Object.fromEntries(paths.flatMap(({ name, required }) => {
      const path = hints.made?.get(name);
      return path !== undefined && required && isInExamples(all[name]) ? [[name, path]] : [];
    })),
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
      if (value === noSample || !isObject(value)) continue;
      const complete = completed(schema, value, isValid, hints);
      if (isValid(complete)) return complete;
    }
  }
  return undefined;
}

/** The part of an input that is required in each mode. */
function unconditional(schema: Schema, input: GeneratedInput): GeneratedInput {
  const { required = [] } = flattenSchema(schema, schema);
  return Object.fromEntries(Object.entries(input).filter(([name]) => required.includes(name)));
}

/** The input with what conditions of the schema require of it. */
const completed = (
  schema: Schema,
  input: GeneratedInput,
  isValid: IsValid,
  hints: InputHints,
): GeneratedInput =>
  isValid(input)
    ? input
    : withConditions(schema, input, { properties: "required", prefer: "examples", branch: 0, hints });

/** The most alternatives that the input, one of its properties, or the elements of one have. */
function mostBranches(schema: Schema): number {
  const count = (node: Schema) =>
    schemaBranches(node, schema).filter((branch) => typesOf(branch).join() !== "null").length;
  const parts = Object.values(asSchema(flattenSchema(schema, schema).properties)).slice(0, 60)
    .map((node) => flattenSchema(node as Schema, schema));
  const elements = parts.map(({ items }) => flattenSchema(asSchema(items), schema));
  return Math.max(...[flattenSchema(schema, schema), ...parts, ...elements].map(count));
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
