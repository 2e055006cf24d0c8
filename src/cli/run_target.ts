/** The scripted run: session, environment, plugin, tests, end; reporters follow along. */
import { join, resolve } from "node:path";
import type { RunReport } from "../../machines/model/session.ts";
import type { TestCase } from "../../machines/model/test_case.ts";
import { isAboutAllTools, runTests } from "../app/run_tests.ts";
import { asPthError, PthError } from "../core/errors.ts";
import type { GeneratedTests, Harness } from "../api/harness.ts";
import { writeTextAtomically } from "../platform/files.ts";
import type { FinishedRun } from "../testing/reporter.ts";
import { definedOnly } from "../core/values.ts";
import type { CommandContext } from "./command.ts";
import { noneExercised, runOutcome } from "../testing/report/run_outcome.ts";
import type { Interruption } from "./listen_for_interrupts.ts";
import type { StartRequest } from "./options/start_options.ts";
import type { SuiteRequest } from "./options/suite_options.ts";
import { nothingToRun } from "./no_proposals.ts";
import { openReporters, type Reporters } from "./open_reporters.ts";
import { renderTerminalError } from "./render_terminal_error.ts";
import { withHarness } from "./with_harness.ts";

/** Results of a run; those of phases that were not reached are absent. */
export interface RunFindings {
  report?: RunReport;
  /** In place of the report's, whose names may tell more. */
  testsToWrite?: readonly TestCase[];
  generated?: GeneratedTests;
  error?: PthError;
}

/** Runs and answers the exit code. @throws {PthError} what stopped it, after the reports are written and all is removed */
export async function runTarget(
  start: StartRequest,
  request: SuiteRequest,
  context: CommandContext,
): Promise<number> {
  const reporters = await openReporters(request, start.name, context);
  // Looked at before the copy is made: what changes meanwhile is taken in again, and nothing is missed. The watch
  // itself reads tests, which a plain run leaves to the session: no start without it pays for that.
  const watch = request.watch ? await import("./watch/watch_rounds.ts") : undefined;
  const before = await watch?.snapshotWatched(resolve(start.target.target!), request);
  return await withHarness(start, context, async (harness, interruption, leave) => {
    const stopFollowing = harness.on((fact) => reporters.follow(fact));
    const known: RunFindings = {};
    try {
      await testTarget(harness, start, request, interruption, known);
    } catch (error) {
      known.error = asPthError(error, "Cannot finish the run");
    }
    if (interruption.signal.aborted) known.error = asPthError(interruption.signal.reason);
    if (harness.state === "active") known.report = harness.session().report();
    stopFollowing();
    const exitCode = exitCodeOf(known, interruption, failsUnexercised(request));
    if (watch === undefined) leave();
    await finishRun(reporters, request, known, exitCode);
    if (watch && before && known.report?.environment && interruption.exitCode() === undefined) {
      if (known.error) {
        context.stderr.write(
          renderTerminalError(known.error, { colour: context.stderr.colour, debug: false }),
        );
      }
      return await watch.watchRounds(harness.session(), request, interruption, context, before);
    }
    if (known.error !== undefined && interruption.exitCode() === undefined) throw known.error;
    return exitCode;
  });
}

/** From the start of the session to the end of its tests; `known` is filled on the way. @throws {PthError} what stops it */
export async function testTarget(
  harness: Harness,
  start: StartRequest,
  request: SuiteRequest,
  { signal, race }: Pick<Interruption, "signal" | "race">,
  known: RunFindings,
): Promise<void> {
  const { suite, tests = request.testsPath, includeHeldBack, from, maxTests, learn } = request;
  const session = await runTests(harness, {
    target: start.target,
    environment: start.config,
    force: start.force,
    tests,
    generate: definedOnly({ includeHeldBack, from, maxTests }),
    ...definedOnly({ learn }),
    suite,
    onGenerated(generated, { tests }) {
      known.generated = generated;
      if (from !== undefined && tests.list().length === 0) throw nothingToRun(from, generated);
    },
  }, { signal, race, ...start.asking });
  for (const phase of request.phases) await race(phase.run(session, { signal }));
}

const failsUnexercised = ({ suite, testsPath: tests, from, allowUnexercised }: SuiteRequest): boolean =>
  allowUnexercised !== true && isAboutAllTools({ tests, generate: definedOnly({ from }), suite });

/** @param failsUnexercised A run in which no tool is exercised has failed. */
export function exitCodeOf(
  { report, error }: RunFindings,
  interruption: Interruption,
  failsUnexercised = false,
): number {
  const unexercised = failsUnexercised && noneExercised(report?.exercise ?? []);
  return runOutcome({ summary: report?.summary, error, interrupted: interruption.exitCode(), unexercised })
    .exitCode;
}

/** Reports are written before the end of the session is waited for: a second Ctrl-C must not cost them. */
export async function finishRun(
  reporters: Reporters,
  request: SuiteRequest,
  known: RunFindings,
  exitCode: number,
): Promise<void> {
  const finished: Partial<FinishedRun> & { exitCode: number } = {
    exitCode,
    strict: request.suite.strict === true,
    ...(request.suite.shard === undefined ? {} : { shard: request.suite.shard }),
    ...(known.report === undefined ? {} : { report: known.report }),
    ...(known.generated === undefined ? {} : { generated: known.generated }),
    ...(known.error === undefined ? {} : { error: known.error }),
  };
  // A file that cannot be written must not cost the others.
  const [tests] = await Promise.allSettled([writeTests(request, known)]);
  await reporters.finish(finished, tests.status === "fulfilled" ? tests.value : []);
  if (tests.status === "rejected") throw asPthError(tests.reason, "Cannot write tests.yaml");
}

/** Writes the tests that ran to the output folder; resolves to the files written. */
async function writeTests(
  { outputFolder }: SuiteRequest,
  { report, testsToWrite = report?.tests ?? [] }: RunFindings,
): Promise<string[]> {
  if (outputFolder === undefined || report === undefined || testsToWrite.length === 0) return [];
  // Nothing ran where what comes before failed.
  if (report.results.length === 0) return [];
  const written = await writeCoverage(outputFolder, report);
  const { serializeTests } = await import("../testing/format/serialize_tests.ts");
  const file = join(outputFolder, "tests.yaml");
  await writeTextAtomically(file, serializeTests(testsToWrite));
  return [file, ...written];
}

async function writeCoverage(outputFolder: string, { coverage }: RunReport): Promise<string[]> {
  if (coverage === undefined) return [];
  const { lcov } = await import("../testing/coverage/lcov.ts");
  const tracefile = join(outputFolder, "coverage.lcov");
  const json = join(outputFolder, "coverage.json");
  await writeTextAtomically(tracefile, lcov(coverage));
  await writeTextAtomically(json, `${JSON.stringify(coverage, undefined, 2)}\n`);
  return [tracefile, json];
}
