import type { TestCase } from "../../../machines/model/test_case.ts";
import { assignIds } from "../../testing/format/ids.ts";
import type { SessionParts } from "../session/session_parts.ts";

/** Puts other tests in place of the session's; results of tests that are gone go with them. */
export function replaceTests(context: SessionParts, tests: readonly TestCase[]): TestCase[] {
  context.tests.all = assignIds(tests);
  const ids = new Set(context.tests.known.map(({ id }) => id));
  for (const id of context.results.latest.keys()) if (!ids.has(id)) context.results.latest.delete(id);
  return context.tests.all;
}
