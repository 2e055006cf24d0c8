/** Calls that were made, as a scenario: steps with captures, and expectations that hold again. */
import type { CallOutcome } from "../../machines/model/plugin.ts";
import type { TestCase, TestStep } from "../../machines/model/test_case.ts";
import { jsonOutput } from "../testing/match/json_output.ts";
import { escapeInput } from "../testing/format/interpolate.ts";
import { escapeVariables } from "../testing/format/variables.ts";
import { isObject } from "../core/values.ts";
import { isStable, stablePart } from "./volatile.ts";

export interface RecordedCall {
  tool: string;
  input: Record<string, unknown>;
  outcome: CallOutcome;
}

/** Longer answers are expected to succeed, and not word for word. */
const longestText = 2000;
/** Shorter texts and small numbers are equal by chance. */
const shortestValue = 4;
const smallestNumber = 100;

/**
 * Makes a test of several steps from recorded calls.
 * @param origin source of the calls, for readers of the test
 */
export function scenarioOf(name: string, calls: readonly RecordedCall[], origin: string): TestCase {
  const known = new Map<unknown, Known>();
  const given = new Set<unknown>();
  const steps: TestStep[] = [];
  for (const { tool, input, outcome } of calls) {
    const replaced = replaceIn(input, known, steps);
    steps.push({
      action: { kind: "call", tool, input: replaced as Record<string, unknown> },
      expect: expectationOf(outcome),
      capture: {},
      verify: [],
    });
    for (const value of leavesOf(input)) given.add(value.value);
    const output = jsonOutput(outcome);
    for (const { path, value } of output && !outcome.isError ? leavesOf(output.value, "$.output") : []) {
      if (isTelling(value) && !given.has(value) && !known.has(value)) {
        known.set(value, { step: steps.length - 1, path, name: undefined });
      }
    }
  }
  // A value that later steps name by its variable is another one next time, wherever it is answered.
  for (const [value, { step, name }] of known) {
    if (name === undefined) continue;
    for (const later of steps.slice(step)) later.expect = withoutValue(later.expect, value);
  }
  // What was answered names no variable of PTH's, whatever it looks like.
  for (const step of steps) step.expect = escapeInput(step.expect);
  return {
    id: "",
    name,
    tier: 2,
    steps,
    expect: {},
    verify: [],
    setup: [],
    teardown: [],
    tags: ["recorded"],
    generatedFrom: "manual",
    origin,
  };
}

/** First answer that contained a value; its variable gets a name once a later step needs it. */
interface Known {
  step: number;
  path: string;
  name: string | undefined;
}

function replaceIn(value: unknown, known: ReadonlyMap<unknown, Known>, steps: TestStep[]): unknown {
  if (Array.isArray(value)) return value.map((item) => replaceIn(item, known, steps));
  if (isObject(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, replaceIn(item, known, steps)]),
    );
  }
  const found = known.get(value);
  if (!found) return typeof value === "string" ? escapeVariables(value) : value;
  if (found.name === undefined) {
    found.name = freeName(found.path, known);
    steps[found.step]!.capture[found.name] = found.path;
  }
  return `$${found.name}`;
}

/** The last name in the path, numbered where it is taken. */
function freeName(path: string, known: ReadonlyMap<unknown, Known>): string {
  const base = [...path.matchAll(/[A-Za-z_][A-Za-z0-9_]*/g)].at(-1)![0];
  const taken = new Set([...known.values()].map(({ name }) => name));
  let name = base;
  for (let number = 2; taken.has(name); number++) name = `${base}_${number}`;
  return name;
}

const isTelling = (value: unknown): boolean =>
  typeof value === "string"
    ? value.length >= shortestValue
    : typeof value === "number" && Math.abs(value) >= smallestNumber;

/** Texts and numbers of a value, each with its JSONPath. */
function leavesOf(value: unknown, path = "$"): { path: string; value: unknown }[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => leavesOf(item, `${path}[${index}]`));
  if (isObject(value)) {
    return Object.entries(value).flatMap(([key, item]) =>
      leavesOf(item, /^[A-Za-z_]\w*$/.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`)
    );
  }
  return [{ path, value }];
}

/** Only what would be said again, word for word. */
function expectationOf(outcome: CallOutcome): Record<string, unknown> {
  const { isError, text } = outcome;
  if (isError) {
    const [first = ""] = text.split("\n");
    return { success: false, ...(first !== "" && isStable(first) ? { error_contains: first } : {}) };
  }
  const output = jsonOutput(outcome);
  if (output && (isObject(output.value) || Array.isArray(output.value))) {
    const stable = stablePart(output.value);
    return { success: true, ...(stable === undefined ? {} : { output_json_contains: stable }) };
  }
  return { success: true, ...(isStable(text) && text.length <= longestText ? { output_equals: text } : {}) };
}

/** An expectation without a value that is another one next time: members that are it, lists and texts that hold it. */
function withoutValue(expect: Record<string, unknown>, value: unknown): Record<string, unknown> {
  const entries = Object.entries(expect).flatMap(([key, item]): [string, unknown][] => {
    if (isObject(item)) {
      const rest = withoutValue(item, value);
      return Object.keys(rest).length === 0 ? [] : [[key, rest]];
    }
    const holds = typeof item === "number" ? item === value : JSON.stringify(item).includes(String(value));
    return holds ? [] : [[key, item]];
  });
  return Object.fromEntries(entries);
}
