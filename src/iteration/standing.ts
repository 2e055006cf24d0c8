/** Where the session's tests stand, from their latest results (PTH design §5.6). */
import type { Standing } from "../../machines/model/iteration.ts";
import type { SessionCommands } from "../harness.ts";

/** @param loadError why the plugin does not run as the branch has it */
export function standingOf(
  session: Pick<SessionCommands, "tests" | "results">,
  loadError?: string,
): Standing {
  const { summary, results } = session.results();
  return {
    total: session.tests().length,
    passed: summary.passed + summary.flaky,
    skipped: summary.skipped,
    failing: results.filter(({ status }) => status === "failed").map(({ id, name, tool, category }) => ({
      id,
      name,
      ...(tool === undefined ? {} : { tool }),
      ...(category === undefined ? {} : { category }),
    })),
    ...(loadError === undefined ? {} : { loadError }),
  };
}
