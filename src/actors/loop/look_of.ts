/** How the tests of a session stand, in so much as a comparison with other distributions takes. */
import type { FailureGroup } from "../../../machines/model/diagnosis.ts";
import type { EntryLook } from "../../../machines/model/matrix.ts";
import type { SessionCommands } from "../../api/harness.ts";
import type { MatrixEnvironment } from "../../matrix/ran_where.ts";
import { summarize } from "../../testing/report/summarize.ts";
import { definedOnly } from "../../core/values.ts";

/**
 * Results of one environment alone: what was seen in another is no result of this one.
 * @param groups root causes, where they were diagnosed
 */
export function lookOf(
  session: Pick<SessionCommands, "results">,
  environment: MatrixEnvironment,
  groups: readonly FailureGroup[],
): EntryLook {
  const { results, summary } = session.results();
  const own = results.filter(({ environmentId }) => environmentId === environment.id);
  return {
    environment,
    results: own.map(({ id, name, status, category, message }) =>
      definedOnly({ id, name, status, category, message })
    ),
    summary: summarize(own, summary.durationMs),
    groups: [...groups],
  };
}
