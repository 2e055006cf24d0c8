/** Requests about the session branch: work on it is done one piece at a time (slot `session.work`). */
import type { DiagnosisReport } from "../../machines/model/diagnosis.ts";
import type { HandedOver } from "../actors/hand_over.ts";
import { messageOf } from "../errors.ts";
import type {
  CiExport,
  DocsUpdate,
  EndOptions,
  EndReport,
  RequestOptions,
  SessionCommands,
} from "../harness.ts";
import type { Proposal } from "../iteration/fixer.ts";
import { filterTests } from "../testing/plan.ts";
import { failuresOf } from "./diagnose_command.ts";
import { iterationCommands } from "./iteration_commands.ts";
import { type SessionContext, withProgress } from "./session_context.ts";
import { testCommands } from "./test_commands.ts";
import { workOnBranch } from "./work_on_branch.ts";

type BranchCommands = Pick<SessionCommands, "diagnose" | "exportCi" | "proposeFix" | "updateDocs">;

export function branchCommands(context: SessionContext): BranchCommands {
  const work = <Result>(kind: string, args: Record<string, unknown>, options: RequestOptions = {}) =>
    withProgress(context, options, () => workOnBranch<Result>(context, kind, args, options));
  return {
    diagnose: ({ tests }, options) =>
      work<DiagnosisReport>("diagnose", { ...failuresOf(context, tests) }, options),
    exportCi: ({ output, filter = {} }, options) =>
      work<CiExport>("export_ci", { tests: filterTests(context.tests, filter), output }, options),
    proposeFix: (request, options) => work<Proposal | undefined>("propose_fix", { ...request }, options),
    updateDocs: ({ write = false }, options) =>
      work<DocsUpdate>("update_docs", {
        examples: new Map(context.examples),
        workflows: [...context.workflows.values()],
        write,
      }, options),
  };
}

/** At the session's end: what cannot be handed over does not keep the session from ending, and is told. */
export async function handOver(
  context: SessionContext,
  { report: always = false, pullRequest = false }: EndOptions,
): Promise<Pick<EndReport, "report" | "pullRequest" | "notReported">> {
  try {
    const tests = testCommands(context);
    const { records } = iterationCommands(context, tests).iterationStatus();
    const args = { report: tests.report(), iterations: records, always, pullRequest };
    return await workOnBranch<HandedOver>(context, "hand_over", args);
  } catch (error) {
    return { notReported: messageOf(error) };
  }
}
