/** Measures what tests run of the plugin's code: slots of the machine that runs tests, and agent runs. */
import { fromPromise } from "xstate";
import type { TestResult, TestRunResult } from "../../../machines/model/test_result.ts";
import type { AgentRunCommands, SuiteOptions } from "../../api/harness.ts";
import { loadedPlugin, type SessionParts } from "../session/session_parts.ts";

export const measureSteps = (contextOf: () => SessionParts) => ({
  instrument: fromPromise<boolean, { suite: SuiteOptions }>(({ input: { suite } }) => {
    const context = contextOf();
    const { live } = context;
    if (typeof suite.workers === "number" && suite.workers > 1) {
      live.progress.note(
        "The tests run on one server, so that what runs during a test is that test's (coverage).",
      );
    }
    // Where there is a problem it was tried with this server already.
    return Promise.resolve(
      live.coverage.run === undefined && loadedPlugin(context) !== undefined &&
        live.coverage.problem === undefined,
    );
  }),
  measure: fromPromise<void, void>(async () => {
    const context = contextOf();
    const { live } = context;
    const unmeasured = live.coverage.run === undefined && loadedPlugin(context) !== undefined;
    if (unmeasured && live.coverage.problem !== undefined) {
      live.progress.note(`Coverage is not measured: ${live.coverage.problem}`);
    }
    await live.coverage.run?.mark();
  }),
  readCoverage: fromPromise<void, TestRunResult>(({ input: { results } }) => keep(contextOf(), results)),
});

/** Adds the coverage of agent runs to the report, if there is one of the same server. */
export function measuredAgentRuns(
  context: SessionParts,
  agentRuns: Pick<AgentRunCommands, "close">,
): Pick<AgentRunCommands, "close"> {
  return {
    async close(...request) {
      const result = await agentRuns.close(...request);
      if (context.live.coverage.run?.wasRead) await keep(context, [result]);
      return result;
    },
  };
}

/** Does nothing where no server is measured. */
async function keep(context: SessionParts, results: readonly TestResult[]): Promise<void> {
  if (context.live.coverage.run === undefined) return;
  await (await import("./keep_measurements.ts")).keepMeasurements(context, results);
}
