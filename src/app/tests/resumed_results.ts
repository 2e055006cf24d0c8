import type { RunReport } from "../../../machines/model/session.ts";
import type { CodeLine } from "../../session/code_line.ts";
import { summarizeSuite } from "../../testing/report/results_verdict.ts";
import { definedOnly } from "../../core/values.ts";
import type { TestStatus } from "../../../machines/model/verdict.ts";
import type { SessionState } from "../../../machines/model/session_state.ts";

/** Results as they were saved. A commit that was not saved stands for the branch's beginning: the result may be older than any fix. */
export const savedResults = ({ tests, commits = [] }: SessionState) =>
  Object.entries(tests).map(([id, { status, category, of }]) => ({
    id,
    status: status as TestStatus,
    ...definedOnly({ category, commit: of === undefined ? undefined : commits[of] }),
  }));

export function resumedResults(
  code: CodeLine,
  state: SessionState,
): NonNullable<RunReport["resumed"]> {
  const results = savedResults(state);
  const stale = code.stale(results, undefined);
  return {
    summary: summarizeSuite(results, 0),
    tests: results.length,
    ...(stale === undefined ? {} : { stale }),
  };
}
