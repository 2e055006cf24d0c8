/** Inputs that a tool's schema allows. */
import { sampleNumber } from "./numbers.ts";
import { enumOf, type Input, isDuration, type IsValid, parts, type ProposedInput } from "./parts.ts";
import { branches, flatten } from "./resolve.ts";
import { nothing, sample } from "./sample.ts";
import { type Schema, typesOf } from "./schema.ts";
import { isObject } from "../../core/values.ts";

const key = (input: unknown): string => JSON.stringify(input);

/** Valid inputs, the plainest first; empty when none could be made. */
export function validInputs(schema: Schema, isValid: IsValid): ProposedInput[] {
  const found: ProposedInput[] = [];
  const propose = (what: string, input: unknown) => {
    if (isObject(input) && isValid(input) && !found.some((other) => key(other.input) === key(input))) {
      found.push({ what, input });
    }
    return found.length;
  };
  const base = firstValid(schema, isValid, "required");
  if (base === undefined) return [];
  propose(Object.keys(base).length === 0 ? "no arguments" : "required only", base);
  propose("all properties", firstValid(schema, isValid, "all"));
  propose("defaults", sample(schema, { properties: "all", prefer: "default", branch: 0 }));
  for (let branch = 1; branch < Math.min(4, topBranches(schema)); branch++) {
    propose(`variant ${branch + 1}`, sample(schema, { properties: "required", prefer: "examples", branch }));
  }
  for (const { name, part } of parts(schema)) {
    for (const member of enumOf(part, schema).slice(0, 5)) {
      propose(`${name} = ${JSON.stringify(member)}`, { ...base, [name]: member });
    }
  }
  return found;
}

/** Ways to make a value, the likeliest to work at the server first. */
function firstValid(schema: Schema, isValid: IsValid, properties: "required" | "all"): Input | undefined {
  for (const prefer of ["examples", "default", "none"] as const) {
    for (const branch of [0, 1, 2, 3]) {
      const value = sample(schema, { properties, prefer, branch });
      if (value !== nothing && isObject(value) && isValid(value)) return value;
    }
  }
  return undefined;
}

function topBranches(schema: Schema): number {
  return branches(flatten(schema, schema), schema).length;
}

/** A valid input for many calls: like `base`, but where the server would sleep by default it is told to sleep shortly. */
export function quickInput(schema: Schema, base: Input, isValid: IsValid): Input {
  const numeric = parts(schema).filter(({ part }) =>
    typesOf(part).some((type) => /^(?:integer|number)$/.test(type))
  );
  const slow = numeric.filter(({ name, part }) => isDuration(name) && Number(base[name] ?? part.default) > 1);
  const quick = {
    ...base,
    ...Object.fromEntries(slow.map(({ name, part }) => [name, sampleNumber(part, true)])),
  };
  return isValid(quick) ? quick : base;
}
