/** The session's report while it goes on: what its end would commit, from what is known now. */
import { branchOf } from "../../git/session_branch.ts";
import { readHistory } from "../../git/history.ts";
import { sessionReport } from "../../export/report/session_report.ts";
import type { Session } from "../../api/harness.ts";
import type { SessionContext } from "../session/session_context.ts";

export const reportCommand = (
  { live }: SessionContext,
  { report, iterationStatus }: Pick<Session, "report" | "iterationStatus">,
): Pick<Session, "standingReport"> => ({
  async standingReport() {
    const branch = branchOf(live.source!);
    const history = branch === undefined ? [] : await readHistory(branch);
    const facts = { report: report(), history, iterations: iterationStatus().records };
    return live.redact.text(sessionReport(facts));
  },
});
