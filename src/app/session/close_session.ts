/** The work of a session, closed before its end; with the slot of the machine that does it. */
import { fromPromise } from "xstate";
import type { ExportOptions, ExportSessionArgs } from "../../../machines/model/branch_work.ts";
import { RequestRefused } from "../../../machines/session/session_model.ts";
import type { EndOptions, EndReport } from "../../api/harness.ts";
import { errorMessage, PthError } from "../../core/errors.ts";
import { resultsVerdict } from "../../testing/report/results_verdict.ts";
import { iterationCommands } from "../loop/iteration_commands.ts";
import { runTask } from "../run_task.ts";
import { publicError } from "../send_request.ts";
import { testCommands } from "../tests/test_commands.ts";
import type { SessionParts } from "./session_parts.ts";

type ExportReport = Pick<EndReport, "standing" | "report" | "pullRequest" | "notReported">;

/** Stops what is under way; what cannot be exported does not keep the session from ending, and is told. */
export async function closeSession(
  context: SessionParts,
  { keep = false, report = false, pullRequest = false }: EndOptions,
): Promise<ExportReport> {
  const { live } = context;
  live.tasks.closing.abort(new PthError("INTERRUPTED", "Cannot go on: the session ends"));
  const exported = await exportSession(context, { always: report, pullRequest });
  // Only now: the export may still judge how a server ends.
  if (!keep) live.tasks.leaving.abort();
  if (live.mode === "run") return {};
  const { summary, stale } = testCommands(context).results();
  return { standing: resultsVerdict({ summary, tests: context.tests.known.length, stale }), ...exported };
}

async function exportSession(context: SessionParts, options: ExportOptions): Promise<ExportReport> {
  try {
    const { exported, error } = await runTask(context, { type: "session.close", ...options }, {});
    return exported ?? (error === undefined ? {} : { notReported: reasonOf(error) });
  } catch (error) {
    return { notReported: errorMessage(error) };
  }
}

const reasonOf = (error: unknown): string =>
  errorMessage(error instanceof RequestRefused ? publicError(error) : error);

export const closeSteps = (contextOf: () => SessionParts) => ({
  gather: fromPromise<ExportSessionArgs, ExportOptions>(({ input }) => {
    const context = contextOf();
    const tests = testCommands(context);
    const { records } = iterationCommands(context, tests).status();
    return Promise.resolve({ report: tests.report(), iterations: records, ...input });
  }),
});
