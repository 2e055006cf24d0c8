import { boundaryNumbers } from "./numbers.ts";
import { type Schema, typesOf } from "./schema.ts";
import {
  enumOf,
  type GeneratedInput,
  isDuration,
  type IsValid,
  type ProposedInput,
  roundRobin,
  schemaProperties,
} from "./schema_properties.ts";
import { exampleFolder } from "../example_files/example_paths.ts";
import type { InputHints } from "./path_values.ts";
import { type SampleOptions, samplePart } from "./sample_value.ts";
import { fitLength } from "./strings.ts";
import { count } from "../../core/text.ts";

/** Inputs with one property at a limit. */
export function boundaryInputs(
  schema: Schema,
  base: GeneratedInput,
  isValid: IsValid,
  hints: InputHints = {},
): ProposedInput[] {
  const options: SampleOptions = { properties: "required", prefer: "examples", branch: 0, hints };
  const lists = schemaProperties(schema).map(({ name, part }) =>
    boundaryValues(name, part, schema, options).map(({ what, value }) => ({
      what: `${name} ${what}`,
      input: { ...base, [name]: value },
    }))
  );
  return roundRobin(lists).filter(({ input }) => isValid(input));
}

interface BoundaryValue {
  what: string;
  value: unknown;
}

function boundaryValues(name: string, part: Schema, root: Schema, options: SampleOptions): BoundaryValue[] {
  const type = typesOf(part).find((candidate) => candidate !== "null");
  if (enumOf(part, root).length > 0 || Object.hasOwn(part, "const")) return [];
  switch (type) {
    case "integer":
    case "number": {
      const values = boundaryNumbers(part, type === "integer");
      const kept = isDuration(name) ? values.filter((value) => value <= 1) : values;
      return kept.map((value) => ({ what: `= ${value}`, value }));
    }
    case "string":
      return boundaryTexts(name, part, root, options);
    case "array":
      return boundaryLists(name, part, root, options);
    case "boolean":
      return [{ what: "= false", value: false }];
    default:
      return [];
  }
}

function boundaryTexts(name: string, part: Schema, root: Schema, options: SampleOptions): BoundaryValue[] {
  const { minLength = 0, maxLength } = part;
  const text = samplePart(part, root, options, name);
  const filler = typeof text === "string" ? text : "example";
  const empty = isSharedExample(filler) ? [{ what: "empty", value: "" }] : [];
  const shortest = minLength === 0 ? empty : [{
    what: `of ${count(minLength, "character")}`,
    value: fitLength(filler, { minLength, maxLength: minLength }),
  }];
  if (maxLength === undefined || maxLength > 4096 || maxLength === minLength) return shortest;
  const value = fitLength(filler, { minLength: maxLength, maxLength });
  return [...shortest, { what: `of ${count(maxLength, "character")}`, value }];
}

/**
 * Whether a text is no path of a folder, nor of what a tool changes: to many servers an empty path is the folder where they run,
 * with all that is installed there.
 */
const isSharedExample = (text: string): boolean =>
  !text.includes(`${exampleFolder}/`) ||
  /^example\.\w+$/.test(text.slice(text.indexOf(exampleFolder) + exampleFolder.length + 1));

function boundaryLists(name: string, part: Schema, root: Schema, options: SampleOptions): BoundaryValue[] {
  const sizes = [part.minItems ?? 0, part.maxItems ?? 0].filter((size) => size <= 100);
  return [...new Set(sizes)].flatMap((size) => {
    const value = size === 0 ? [] : samplePart({ ...part, minItems: size, maxItems: size }, root, {
      ...options,
      prefer: "none",
    }, name);
    return Array.isArray(value) && value.length === size
      ? [{ what: size === 0 ? "empty" : `of ${size} elements`, value }]
      : [];
  });
}
