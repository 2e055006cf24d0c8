/** Tests a plugin from code, as `pth run` does from a terminal. */
import type { EnvironmentConfig } from "../../machines/model/environment.ts";
import type { SessionTarget } from "../../machines/model/session.ts";
import type { GeneratedTests, GenerateOptions, PublishedEvent, SuiteOptions } from "../api/harness.ts";
import { asPthError } from "../core/errors.ts";
import { definedOnly } from "../core/values.ts";
import type { FinishedRun } from "../testing/reporter.ts";
import { toReport } from "../testing/report/report.ts";
import type { Report } from "../testing/report/report_schema.ts";
import { noneExercised, runOutcome } from "../testing/report/run_outcome.ts";
import { createHarness } from "./create_harness.ts";
import { isAboutAllTools, runTests } from "./run_tests.ts";

export interface TestPluginOptions {
  /** Environment of the plugin; by default the most isolated one that is available. */
  environment?: Partial<EnvironmentConfig>;
  /** A file or folder of tests, in place of those in `.pth/tests` and generated ones. */
  tests?: string;
  /** Options of test generation: sources, number, tools. */
  generate?: GenerateOptions;
  /** Filter, order, workers, limits of the run. */
  suite?: SuiteOptions;
  /** A run of all tests that exercises no tool is no failure. */
  allowUnexercised?: boolean;
  /** Ends the run; what it made is removed before the answer comes. */
  signal?: AbortSignal;
  /** Called with each step, note and test result as it comes; secrets are taken out. */
  onEvent?: (event: PublishedEvent) => void;
}

/**
 * Makes an environment, installs, builds and starts the plugin in it, runs its tests and removes all again.
 *
 * @param target a folder, `npm:<package>`, or what a session is started with (a command, a URL, variables, secrets)
 * @returns the report that `pth run --reporter json` writes (`pth-report/1`). A run that could not be finished is a report,
 * too: `error` says why, and `exit_code` is 2 (wrong use), 3 (could not start) or 130 (aborted)
 */
export async function testPlugin(
  target: string | SessionTarget,
  { environment = {}, tests, generate = {}, suite = {}, allowUnexercised = false, signal, onEvent }:
    TestPluginOptions = {},
): Promise<Report> {
  const started = typeof target === "string" ? { target } : target;
  const run: FinishedRun = {
    target: started.target ?? started.command?.join(" ") ?? started.url ?? "",
    notes: [],
    exitCode: 0,
    startedAt: Date.now(),
    durationMs: 0,
    strict: suite.strict === true,
    files: [],
    ...definedOnly({ shard: suite.shard }),
  };
  const harness = await createHarness();
  const options = definedOnly({ signal });
  const stopListening = harness.on((event) => {
    if (event.type === "session.noted") run.notes.push(event.message);
    onEvent?.(event);
  });
  try {
    const onGenerated = (generated: GeneratedTests) => void (run.generated = generated);
    await runTests(harness, { target: started, environment, tests, generate, suite, onGenerated }, options);
  } catch (error) {
    run.error = asPthError(error, "Cannot finish the run");
  } finally {
    if (harness.state === "active") run.report = harness.session().report();
    stopListening();
    // Removes all, also where a phase failed.
    await harness.close();
  }
  run.durationMs = Date.now() - run.startedAt;
  run.exitCode = runOutcome(definedOnly({
    summary: run.report?.summary,
    error: run.error,
    interrupted: signal?.aborted ? 130 : undefined,
    unexercised: !allowUnexercised && isAboutAllTools({ tests, generate, suite }) &&
      noneExercised(run.report?.exercise ?? []),
  })).exitCode;
  return toReport(run);
}
