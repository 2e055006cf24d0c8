/** Variants of a test: one for each combination of the values that it uses. */
import { isObject } from "../../core/values.ts";

/** Values by their names. */
type Matrix = Readonly<Record<string, readonly (string | number | boolean)[]>>;

export interface Variant {
  /** Values that the variant was made with; empty without a matrix. */
  values: Record<string, string | number | boolean>;
  /** Agent on which it runs, where the test names several. */
  agent?: string;
  test: unknown;
}

const reference = /\$\{matrix\.(\w+)\}/g;
/** Values of these names are those of `execution`, where nothing refers to them. */
const ofExecution = ["agent", "model", "playbook"] as const;
/** Variants of one test that are made at most. */
export const mostVariants = 200;

/**
 * Fills `${matrix.name}` in all texts; a text that is a reference alone takes the value's type. A parameter that the test
 * does not use does not multiply it.
 * @param agents Agents on each of which the test runs; absent: on that of its `execution`
 * @returns the variants, and names that are referred to and not there; `count` is larger than `mostVariants` where there
 * are too many, of which none is made
 */
export function expandMatrix(
  test: unknown,
  matrix: Matrix,
  agents?: readonly string[],
): { variants: Variant[]; count: number; unknown: string[] } {
  const used = new Set(Array.from(JSON.stringify(test ?? null).matchAll(reference), ([, name]) => name!));
  const names = Object.keys(matrix).filter((name) =>
    used.has(name) || (ofExecution as readonly string[]).includes(name)
  );
  const isKnown = (name: string) => Object.hasOwn(matrix, name) || name === "agent" && agents !== undefined;
  const unknown = [...used].filter((name) => !isKnown(name));
  const count = names.reduce((product, name) => product * matrix[name]!.length, agents?.length ?? 1);
  if (count > mostVariants) return { variants: [], count, unknown };
  let combinations: Variant["values"][] = [{}];
  for (const name of names) {
    combinations = combinations.flatMap((values) =>
      matrix[name]!.map((value) => ({ ...values, [name]: value }))
    );
  }
  const variants = combinations.flatMap((values): Variant[] => {
    const one = (more: Variant["values"]) =>
      withExecution(filled(test, { ...values, ...more }), values, used);
    if (agents === undefined) return [{ values, test: one({}) }];
    return agents.map((agent) => ({ values, agent, test: withAgent(one({ agent }), agent) }));
  });
  return { variants, count, unknown };
}

/** `[word=x, model=haiku]`; empty without values. */
export const variantSuffix = (values: Variant["values"]): string => {
  const given = Object.entries(values).map(([name, value]) => `${name}=${value}`);
  return given.length === 0 ? "" : `[${given.join(", ")}]`;
};

/** The test on one of its agents; what its fixture gives counts as its own. */
function withAgent(test: unknown, agent: string): unknown {
  if (!isObject(test)) return test;
  const { agents: _all, ...execution } = isObject(test.execution) ? test.execution : {};
  return { ...test, execution: { ...execution, agent } };
}

function withExecution(test: unknown, values: Variant["values"], used: ReadonlySet<string>): unknown {
  if (!isObject(test)) return test;
  const given = ofExecution.filter((name) => Object.hasOwn(values, name) && !used.has(name));
  if (given.length === 0) return test;
  const execution = isObject(test.execution) ? test.execution : {};
  return {
    ...test,
    execution: { ...execution, ...Object.fromEntries(given.map((name) => [name, values[name]])) },
  };
}

function filled(value: unknown, values: Variant["values"]): unknown {
  if (typeof value === "string") {
    const [whole, name] = /^\$\{matrix\.(\w+)\}$/.exec(value) ?? [];
    if (whole !== undefined && Object.hasOwn(values, name!)) return values[name!];
    return value.replace(
      reference,
      (text, each: string) => Object.hasOwn(values, each) ? String(values[each]) : text,
    );
  }
  if (Array.isArray(value)) return value.map((each) => filled(each, values));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, filled(each, values)]));
}
