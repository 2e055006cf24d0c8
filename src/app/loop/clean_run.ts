/** The final proof: a new environment, the plugin loaded anew, the whole suite again. */
import type { DriftReport } from "../../../machines/model/environment.ts";
import type { TestResult } from "../../../machines/model/test_result.ts";
import { asPthError, errorMessage, PthError } from "../../core/errors.ts";
import type {
  CleanRunReport,
  EnvironmentCommands,
  RequestOptions,
  SuiteOptions,
  TestCommands,
} from "../../api/harness.ts";
import { loadedPlugin, type SessionParts, withProgress } from "../session/session_parts.ts";

interface Others {
  environment: Pick<EnvironmentCommands, "drift" | "reprovision">;
  tests: Pick<TestCommands, "runSuite">;
}

export function cleanRun(
  context: SessionParts,
  others: Others,
): Pick<TestCommands, "runClean"> {
  async function verify(suite: SuiteOptions, options: RequestOptions): Promise<CleanRunReport> {
    if (!loadedPlugin(context) && context.actor.getSnapshot().context.loaded.lost === undefined) {
      throw new PthError("NOT_NOW", "Cannot verify in a clean environment: the plugin is not loaded", {
        next: [{ mcp: "Load it first: pth_load_plugin" }],
      });
    }
    const before = new Map(context.results.latest);
    const drift = await driftOrWhyNot(others, options);
    await others.environment.reprovision({}, options);
    const { summary, results } = await others.tests.runSuite(suite, options);
    return { ...drift, summary, ...compareRuns(before, results) };
  }
  return {
    runClean: (suite, options = {}) => withProgress(context, options, () => verify(suite, options)),
  };
}

/** An environment that cannot be asked any more is replaced all the same. */
async function driftOrWhyNot(
  { environment }: Others,
  options: RequestOptions,
): Promise<{ drift: DriftReport } | { driftUnknown: string }> {
  try {
    return { drift: await environment.drift(options) };
  } catch (error) {
    if (asPthError(error).code === "INTERRUPTED") throw error;
    return { driftUnknown: errorMessage(error) };
  }
}

const holds = ({ status }: TestResult): boolean => status === "passed" || status === "flaky";

/** Finds the tests whose outcome differs in the clean environment. */
function compareRuns(
  before: ReadonlyMap<string, TestResult>,
  after: readonly TestResult[],
): Pick<CleanRunReport, "onlyDirty" | "onlyClean" | "failed" | "compared"> {
  const pairs = after.flatMap((now) => {
    const was = before.get(now.id);
    return was === undefined || was.status === "skipped" ? [] : [{ was, now }];
  });
  return {
    onlyDirty: pairs.filter(({ was, now }) => holds(was) && now.status === "failed").map(({ now }) => now),
    onlyClean: pairs.filter(({ was, now }) => was.status === "failed" && holds(now)).map(({ now }) => now),
    failed: after.filter(({ status }) => status === "failed"),
    compared: pairs.length,
  };
}
