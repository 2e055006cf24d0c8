/** Summarizes the test status of a session from the latest results. */
import type { TestStatuses, TestStatusSummary } from "../../machines/model/iteration.ts";
import type { TestCommands } from "../api/harness.ts";

export type TestStatusSource = Pick<TestCommands, "list" | "results">;

/** Latest status of each test; of one that never ran it is undefined. */
export function statusesOf(tests: TestStatusSource): TestStatuses {
  const statuses = new Map(tests.results().results.map(({ id, status }) => [id, status]));
  return Object.fromEntries(tests.list().map(({ id }) => [id, statuses.get(id)]));
}

/** @param loadError why the plugin does not run as the branch has it */
export function summarizeTestStatus(
  tests: TestStatusSource,
  loadError?: string,
): TestStatusSummary {
  const { summary, results, stale } = tests.results();
  return {
    total: tests.list().length,
    passed: summary.passed + summary.flaky,
    skipped: summary.skipped,
    ...(summary.flaky === 0 ? {} : { flaky: summary.flaky }),
    ...(stale === undefined || stale.stale === 0 ? {} : { stale: stale.stale }),
    failing: results.filter(({ status }) => status === "failed").map(({ id, name, tool, category }) => ({
      id,
      name,
      ...(tool === undefined ? {} : { tool }),
      ...(category === undefined ? {} : { category }),
    })),
    ...(loadError === undefined ? {} : { loadError }),
  };
}
