/** Requests about the session branch: work on it is done one piece at a time (slot `session.work`). */
import type { BranchWork } from "../../../machines/model/branch_work.ts";
import type { TestFilter } from "../../../machines/model/suite_options.ts";
import type { ExportCommands, FixCommands, RequestOptions } from "../../api/harness.ts";
import { resultsVerdict, summarizeSuite } from "../../testing/report/results_verdict.ts";
import { filterTests } from "../../testing/run/test_plan.ts";
import { failuresOf } from "./failures_of.ts";
import { type SessionParts, withProgress } from "../session/session_parts.ts";
import { workOnBranch } from "./work_on_branch.ts";
import { staleResults } from "../../actors/tests/runs_on.ts";

interface BranchCommands {
  fixes: Pick<FixCommands, "diagnose" | "propose">;
  export: Pick<ExportCommands, "ci" | "docs">;
}

export function branchCommands(context: SessionParts): BranchCommands {
  const work = <Kind extends keyof BranchWork>(
    kind: Kind,
    args: BranchWork[Kind]["args"],
    options: RequestOptions = {},
  ) => withProgress(context, options, () => workOnBranch(context, kind, args, options));
  return {
    fixes: {
      diagnose: ({ tests }, options) => work("diagnose", { ...failuresOf(context, tests) }, options),
      propose: (request, options) => work("propose_fix", request, options),
    },
    export: {
      ci: ({ output, filter = {} }, options) =>
        work("export_ci", { ...exported(context, filter), output }, options),
      docs: ({ write = false }, options) =>
        work("update_docs", {
          examples: new Map(
            [...context.results.examples].filter(([, { testId }]) => showsNow(context, testId)),
          ),
          outdated: [...context.results.examples].filter(([, { testId }]) => !showsNow(context, testId))
            .map(([tool]) => tool),
          workflows: [...context.results.workflows].filter(([testId]) => showsNow(context, testId))
            .map(([, workflow]) => workflow),
          write,
        }, options),
    },
  };
}

/** The tests that are meant, with what they came to last. */
function exported(context: SessionParts, filter: TestFilter) {
  const tests = filterTests(context.tests.all, filter);
  const results = tests.flatMap(({ id }) => context.results.latest.get(id) ?? []);
  const counted = {
    summary: summarizeSuite(results, 0),
    tests: tests.length,
    stale: staleResults(context.live, results),
  };
  return { tests, standing: resultsVerdict(counted) };
}

/** Whether the test's latest result is a pass of the code as the branch has it. */
function showsNow({ live, results }: SessionParts, testId: string): boolean {
  const result = results.latest.get(testId);
  return result?.status === "passed" && staleResults(live, [result]) === undefined;
}
