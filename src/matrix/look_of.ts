/** How the tests of a session stand, in so much as a comparison with other distributions takes. */
import type { FailureGroup } from "../../machines/model/diagnosis.ts";
import type { EntryLook } from "../../machines/model/matrix.ts";
import type { SessionCommands } from "../harness.ts";
import { definedOnly } from "../values.ts";

/** @param groups root causes, where they were diagnosed */
export function lookOf(
  session: Pick<SessionCommands, "results">,
  groups: readonly FailureGroup[],
): EntryLook {
  const { results, summary } = session.results();
  return {
    results: results.map(({ id, name, status, category, message }) =>
      definedOnly({ id, name, status, category, message })
    ),
    summary,
    groups: [...groups],
  };
}
