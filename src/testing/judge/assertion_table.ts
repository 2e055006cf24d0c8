/** All assertions by key, with their `_i` variants. */
import { PthError } from "../../core/errors.ts";
import type { TestCase } from "../../../machines/model/test_case.ts";
import type { Assertion, AssertionResult, Subjects } from "../assertion.ts";
import { registry } from "../assertions/_registry.ts";

interface TableEntry {
  key: string;
  assertion: Assertion;
  ignoreCase: boolean;
}

/** Every key a test may use; a `_i` key is its assertion with letter case ignored. */
export const assertionTable: ReadonlyMap<string, TableEntry> = new Map(
  (registry as readonly Assertion[]).flatMap((assertion): [string, TableEntry][] => {
    const { key } = assertion;
    const plain: TableEntry = { key, assertion, ignoreCase: false };
    if (!assertion.caseInsensitive) return [[key, plain]];
    return [[key, plain], [`${key}_i`, { key: `${key}_i`, assertion, ignoreCase: true }]];
  }),
);

/** Entries for tool answers (`expect`) or for commands (`verify`). */
export const entriesFor = (subject: keyof Subjects): TableEntry[] =>
  [...assertionTable.values()].filter((entry) => entry.assertion.subject === subject);

/** True for tests that know nothing of the tool's meaning, and so accept any honest answer. */
export const isOpenEnded = (test: TestCase): boolean =>
  Object.keys(test.expect).some((key) => assertionTable.get(key)?.assertion.exclusive);

/**
 * Runs one assertion.
 * @throws {PthError} `INVALID_TEST_FILE` for a key that does not exist for this subject.
 */
export function checkAssertion<S extends keyof Subjects>(
  subject: S,
  key: string,
  expected: unknown,
  observed: Subjects[S],
): AssertionResult {
  const entry = assertionTable.get(key);
  if (entry?.assertion.subject !== subject) {
    throw new PthError(
      "INVALID_TEST_FILE",
      `Cannot check ${key}: no assertion on a ${subject} has this name`,
      {
        tried: entriesFor(subject).map((known) => known.key),
      },
    );
  }
  const check = entry.assertion.check as (
    expected: unknown,
    observed: Subjects[S],
    options: { ignoreCase: boolean },
  ) => AssertionResult;
  return check(expected, observed, { ignoreCase: entry.ignoreCase });
}
