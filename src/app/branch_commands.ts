/** Requests about the session branch: work on it is done one piece at a time (slot `session.work`). */
import type { CiExport, RequestOptions, SessionCommands } from "../harness.ts";
import { filterTests } from "../testing/plan.ts";
import { ask } from "./ask.ts";
import { type SessionContext, withProgress } from "./session_context.ts";

type BranchCommands = Pick<SessionCommands, "exportCi">;

export function branchCommands(context: SessionContext): BranchCommands {
  const work = <Result>(kind: string, args: Record<string, unknown>, options: RequestOptions = {}) =>
    withProgress(
      context,
      options,
      () => ask<Result>(context.actor, { type: "session.work", kind, args }, { signal: options.signal }),
    );
  return {
    exportCi: ({ output, filter = {} }, options) =>
      work<CiExport>("export_ci", { tests: filterTests(context.tests, filter), output }, options),
  };
}
