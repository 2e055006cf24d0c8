/** Requests about the session branch: work on it is done one piece at a time (slot `session.work`). */
import type { DiagnosisReport } from "../../machines/model/diagnosis.ts";
import type { CiExport, RequestOptions, SessionCommands } from "../harness.ts";
import { filterTests } from "../testing/plan.ts";
import { ask } from "./ask.ts";
import { failuresOf } from "./diagnose_command.ts";
import { type SessionContext, withProgress } from "./session_context.ts";

type BranchCommands = Pick<SessionCommands, "diagnose" | "exportCi">;

export function branchCommands(context: SessionContext): BranchCommands {
  const work = <Result>(kind: string, args: Record<string, unknown>, options: RequestOptions = {}) =>
    withProgress(
      context,
      options,
      () => ask<Result>(context.actor, { type: "session.work", kind, args }, { signal: options.signal }),
    );
  return {
    diagnose: ({ tests }, options) =>
      work<DiagnosisReport>("diagnose", { ...failuresOf(context, tests) }, options),
    exportCi: ({ output, filter = {} }, options) =>
      work<CiExport>("export_ci", { tests: filterTests(context.tests, filter), output }, options),
  };
}
