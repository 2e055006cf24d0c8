/** The final proof: a new environment, the plugin loaded again, the whole suite again. */
import type { TestResult } from "../../../machines/model/test_result.ts";
import { PthError } from "../../core/errors.ts";
import { retryBudget } from "../../platform/retry.ts";
import type { CleanRunReport, RequestOptions, SuiteOptions, TestCommands } from "../../api/harness.ts";
import { runTask } from "../run_task.ts";
import { publicError } from "../send_request.ts";
import { loadedPlugin, type SessionParts, withProgress } from "../session/session_parts.ts";

export function cleanRunCommand(context: SessionParts): Pick<TestCommands, "runClean"> {
  const { actor, live } = context;

  async function runClean(suite: SuiteOptions, options: RequestOptions): Promise<CleanRunReport> {
    if (!loadedPlugin(context) && actor.getSnapshot().context.loaded.lost === undefined) {
      throw new PthError("NOT_NOW", "Cannot verify in a clean environment: the plugin is not loaded", {
        next: [{ mcp: "Load it first: pth_load_plugin" }],
      });
    }
    live.limits.retries = retryBudget(options.retries);
    const before = context.results.statuses();
    const { drift, driftError, run } = await runTask(context, { type: "session.run_clean", suite }, options);
    const known = drift === undefined
      ? { driftUnknown: publicError(driftError, "Cannot work in the environment").message }
      : { drift };
    return { ...known, summary: run.summary, ...compareRuns(before, run.results) };
  }
  return {
    runClean: (suite, options = {}) => withProgress(context, options, () => runClean(suite, options)),
  };
}

const passes = (status: TestResult["status"]): boolean => status === "passed" || status === "flaky";

/** Finds the tests whose outcome differs in the clean environment. */
export function compareRuns(
  before: ReadonlyMap<string, TestResult["status"]>,
  after: readonly TestResult[],
): Pick<CleanRunReport, "onlyDirty" | "onlyClean" | "failed" | "compared"> {
  const compared = after.filter(({ id }) => (before.get(id) ?? "skipped") !== "skipped");
  return {
    onlyDirty: compared.filter(({ id, status }) => passes(before.get(id)!) && status === "failed"),
    onlyClean: compared.filter(({ id, status }) => before.get(id) === "failed" && passes(status)),
    failed: after.filter(({ status }) => status === "failed"),
    compared: compared.length,
  };
}
