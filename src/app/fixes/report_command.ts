/** The session's report while it goes on: what its end would commit, from what is known now. */
import { branchOf } from "../../git/session_branch.ts";
import { readHistory } from "../../git/history.ts";
import { sessionReport } from "../../export/report/session_report.ts";
import type { ExportCommands, LoopCommands, Session } from "../../api/harness.ts";
import type { SessionParts } from "../session/session_parts.ts";

export const reportCommand = (
  { live }: SessionParts,
  others: { report: Session["report"]; loop: Pick<LoopCommands, "status"> },
): Pick<ExportCommands, "report"> => ({
  async report() {
    const branch = branchOf(live.code.source!);
    const history = branch === undefined ? [] : await readHistory(branch);
    const facts = { report: others.report(), history, iterations: others.loop.status().records };
    return live.secrets.redact.text(sessionReport(facts));
  },
});
