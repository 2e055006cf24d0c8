/** Test results of a session, as far as a comparison with other distributions needs them. */
import type { FailureGroup } from "../../../machines/model/diagnosis.ts";
import type { EntryResult } from "../../../machines/model/matrix.ts";
import type { TestCommands } from "../../api/harness.ts";
import type { MatrixEnvironment } from "../../matrix/ran_where.ts";
import { summarizeSuite } from "../../testing/report/results_verdict.ts";
import { definedOnly } from "../../core/values.ts";

/**
 * Results of one environment alone: what was seen in another is no result of this one.
 * @param groups root causes, where they were diagnosed
 */
export function entryResultOf(
  tests: Pick<TestCommands, "results">,
  environment: MatrixEnvironment,
  groups: readonly FailureGroup[],
): EntryResult {
  const { results, summary } = tests.results();
  const own = results.filter(({ environmentId }) => environmentId === environment.id);
  return {
    environment,
    results: own.map(({ id, name, status, category, message }) =>
      definedOnly({ id, name, status, category, message })
    ),
    summary: summarizeSuite(own, summary.durationMs),
    groups: [...groups],
  };
}
