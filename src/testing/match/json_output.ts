/** Comparisons of JSON: of two values, and of a tool's answer with what is expected. */
import * as z from "zod";
import type { CallOutcome } from "../../../machines/model/plugin.ts";
import type { AssertionResult, ResponseSubject } from "../assertion.ts";
import { textExcerpt } from "../../core/text.ts";
import { isObject } from "../../core/values.ts";

/** Any JSON value. */
export const jsonSchema = z.unknown();

/** `structuredContent` where there is one, else the text read as JSON; undefined when it is no JSON. */
export function jsonOutput({ structuredContent, text }: CallOutcome): { value: unknown } | undefined {
  if (structuredContent !== undefined) return { value: structuredContent };
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    // That the text is no JSON is the answer; the assertion says so.
    return undefined;
  }
}

/** Compares the answer with what is expected; `partial` allows more keys and elements. */
export function compareJson(expected: unknown, observed: ResponseSubject, partial: boolean): AssertionResult {
  const output = jsonOutput(observed.outcome);
  if (output === undefined) {
    return {
      pass: false,
      expected,
      actual: observed.outcome.text,
      message: () => `output is not JSON\n  actual: ${textExcerpt(observed.outcome.text, 1000)}`,
    };
  }
  const differences = jsonDifferences(expected, output.value, partial);
  return {
    pass: differences.length === 0,
    expected,
    actual: output.value,
    message: () => jsonMessage(differences, output.value),
  };
}

function jsonMessage(differences: string[], actual: unknown): string {
  const [first, ...others] = differences;
  const more = others.slice(0, 9).map((line) => `  ${line}`);
  if (others.length > 9) more.push(`  … ${others.length - 9} more differences`);
  return [`output differs at ${first}`, ...more, `  actual: ${textExcerpt(actual, 1000)}`].join("\n");
}

/**
 * Differences as `$.path: expected 1, got 2`; none means equal. In a partial comparison objects may hold more keys than
 * expected, and arrays more elements around those expected, which must come in the same order.
 */
export function jsonDifferences(expected: unknown, actual: unknown, partial: boolean, path = "$"): string[] {
  if (isObject(expected) && isObject(actual)) return objectDifferences(expected, actual, partial, path);
  if (Array.isArray(expected) && Array.isArray(actual)) {
    return partial ? missingElements(expected, actual, path) : listDifferences(expected, actual, path);
  }
  return expected === actual
    ? []
    : [`${path}: expected ${textExcerpt(expected)}, got ${textExcerpt(actual)}`];
}

function objectDifferences(
  expected: Record<string, unknown>,
  actual: Record<string, unknown>,
  partial: boolean,
  path: string,
): string[] {
  const differences = Object.entries(expected).flatMap(([key, value]) =>
    Object.hasOwn(actual, key)
      ? jsonDifferences(value, actual[key], partial, step(path, key))
      : [`${step(path, key)}: expected ${textExcerpt(value)}, is missing`]
  );
  if (partial) return differences;
  const extra = Object.keys(actual).filter((key) => !Object.hasOwn(expected, key));
  return [
    ...differences,
    ...extra.map((key) => `${step(path, key)}: not expected, got ${textExcerpt(actual[key])}`),
  ];
}

function listDifferences(expected: unknown[], actual: unknown[], path: string): string[] {
  const differences = expected.slice(0, actual.length).flatMap((value, index) =>
    jsonDifferences(value, actual[index], false, `${path}[${index}]`)
  );
  if (expected.length !== actual.length) {
    differences.push(`${path}: expected ${expected.length} elements, got ${actual.length}`);
  }
  return differences;
}

/** Taking the earliest match for each element finds a match in order whenever there is one. */
function missingElements(expected: unknown[], actual: unknown[], path: string): string[] {
  let from = 0;
  for (const [index, value] of expected.entries()) {
    const found = actual.findIndex((candidate, at) =>
      at >= from && jsonDifferences(value, candidate, true).length === 0
    );
    if (found === -1) {
      const after = index === 0 ? "" : ` after element ${from - 1}`;
      return [`${path}: expected an element like ${textExcerpt(value)}${after}, got ${textExcerpt(actual)}`];
    }
    from = found + 1;
  }
  return [];
}

const step = (path: string, key: string): string =>
  /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`;
