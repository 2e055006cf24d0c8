/** Which proposals a suite has already, whatever they are called there. */
import type { GeneratedFrom, TestCase, TestStep } from "../../machines/model/test_case.ts";
import type { GeneratedTests } from "../harness.ts";

/**
 * Proposals that are not among the tests of a suite. One is known when a test does the same (calls, inputs,
 * expectations), or comes from the same place: a person may have changed it since.
 */
export function newTests(
  proposed: readonly TestCase[],
  suite: readonly TestCase[],
): { added: TestCase[]; known: NonNullable<GeneratedTests["known"]> } {
  const deeds = new Set(suite.map(deedOf));
  const origins = new Set(suite.flatMap(({ origin }) => origin ?? []));
  const known: Partial<Record<GeneratedFrom, number>> = {};
  const added = proposed.filter((test) => {
    const deed = deedOf(test);
    const isNew = !deeds.has(deed) && !(test.origin !== undefined && origins.has(test.origin));
    if (isNew) deeds.add(deed);
    else known[test.generatedFrom] = (known[test.generatedFrom] ?? 0) + 1;
    return isNew;
  });
  return { added, known };
}

/** What a test does and expects, as one text; names, tags and places do not count. */
function deedOf(
  { tool, input, check, config, expect, control, steps, verify, setup, prompt }: TestCase,
): string {
  const calls = steps?.map(({ action, expect, capture, verify }: TestStep) => ({
    action,
    expect,
    capture,
    verify,
  }));
  return JSON.stringify(
    sorted({ tool, input: input ?? {}, check, config, expect, control, calls, verify, setup, prompt }),
  );
}

/** Keys in one order, however they were written. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).filter(([, each]) => each !== undefined).map(([key, each]) =>
      [key, sorted(each)] as const
    )
      .sort(([a], [b]) => a < b ? -1 : 1),
  );
}
