/** Comparison of JSON values that says where they differ. */
import { textExcerpt } from "../../core/text.ts";
import { isObject } from "../../core/values.ts";

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
