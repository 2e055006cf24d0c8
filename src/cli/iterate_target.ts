/** The scripted loop: session, environment, iterations, end; what it came to is told with how to look at it. */
import { resolve } from "node:path";
import { failedOf, isUnknown } from "../../machines/iteration/iteration_state.ts";
import type { IterationOutcome, IterationRun } from "../../machines/model/iteration.ts";
import type { MatrixEntry } from "../../machines/model/matrix.ts";
import type { ResumedSession } from "../../machines/model/resume.ts";
import { asPthError } from "../core/errors.ts";
import type { CleanRunReport, EndReport, Harness, Session, SuiteOptions, TestFiles } from "../api/harness.ts";
import { convergenceText } from "../fixers/iteration_texts.ts";
import { renderTables } from "../testing/reporters/spec/matrix.ts";
import { count, plainLine } from "../core/text.ts";
import type { CommandContext } from "./command.ts";
import type { Interruption } from "./listen_for_interrupts.ts";
import { createIterationReporter, createPainter } from "./iteration_reporter.ts";
import type { StartRequest } from "./options/start_options.ts";
import { type BranchFacts, exportIteration } from "./export_iteration.ts";
import { withHarness } from "./with_harness.ts";

interface IterateRequest {
  run: IterationRun;
  /** Replaces discovery and generation. */
  tests?: TestFiles;
  /** Session branch to go on with. */
  resume?: string;
  /** Matrix entries; the first is developed on, and tested again at the end. */
  matrix?: MatrixEntry[];
  /** Whether green counts only once it is so in a new environment, too. */
  verifyClean?: boolean;
  /** Whether to write the text for a pull request at the end. */
  pullRequest?: boolean;
}

/** Iterates and answers the exit code: 0 green, 1 still failing. @throws {PthError} what stopped it */
export async function iterateTarget(
  start: StartRequest,
  request: IterateRequest,
  context: CommandContext,
): Promise<number> {
  const { stdout } = context;
  let facts: BranchFacts = { files: [], fixes: [] };
  let green = false;
  const describeEnd = (ended: EndReport) => exportIteration(ended, facts, green);
  return await withHarness(
    { ...start, describeEnd, pullRequest: request.pullRequest ?? false },
    context,
    async (harness, interruption) => {
      const reporter = createIterationReporter(stdout, () => harness.session().loop.status().standing);
      let committed = 0;
      const stopFollowing = harness.on((fact) => {
        reporter.follow(fact);
        if (fact.type === "fix.committed") committed++;
      });
      try {
        const say = (line: string) => stdout.write(`${line}\n`);
        const outcome = await startAndIterate(harness, start, request, interruption, say);
        reporter.stop();
        const { convergence } = outcome;
        stdout.write(
          `${
            createPainter(stdout.colour)(
              convergenceText(convergence, Math.max(0, convergence.progress.length - 1)),
            )
          }\n`,
        );
        stdout.write(`${verdict(outcome, Math.max(committed, outcome.fixes.length))}\n\n`);
        green = outcome.state === "green" &&
          (!request.verifyClean ||
            await runClean(harness.session(), request.run.suite ?? {}, interruption, say)) &&
          await verifiesElsewhere(harness, start, request, interruption, context);
        reporter.stop();
        return interruption.exitCode() ?? (green ? 0 : 1);
      } catch (error) {
        const interrupted = interruption.exitCode();
        if (interrupted === undefined) throw error;
        return interrupted;
      } finally {
        stopFollowing();
        reporter.stop();
        facts = await branchFacts(harness);
      }
    },
  );
}

async function startAndIterate(
  harness: Harness,
  start: StartRequest,
  { run, tests, resume }: IterateRequest,
  interruption: Interruption,
  say: (line: string) => unknown,
): Promise<IterationOutcome> {
  const { signal, race } = interruption;
  if (resume === undefined) {
    await race(harness.startSession(start.target, { signal, mode: "session", force: start.force }));
    await race(harness.session().environment.provision(start.config, { signal }));
  } else await resumeSession(harness, start, resume, interruption, say);
  const session = harness.session();
  if (tests !== undefined) await race(session.tests.use(tests));
  else if (session.plugin.status().tools > 0) await race(session.tests.generate({}, { signal }));
  return await race(
    session.loop.run({ ...run, generate: tests === undefined }, { signal, ...start.asking }),
  );
}

/** On the other distributions, too; true where there are none. */
async function verifiesElsewhere(
  harness: Harness,
  { asking }: StartRequest,
  { run, matrix }: IterateRequest,
  { signal, race }: Interruption,
  { stdout }: CommandContext,
): Promise<boolean> {
  if (matrix === undefined) return true;
  const [primary, ...others] = matrix.map(({ name }) => name);
  const outcome = await race(
    harness.session().loop.runMatrix({ images: others, primary: primary!, run }, {
      signal,
      ...asking,
    }),
  );
  stdout.write(`\n${renderTables(outcome.matrix, stdout)}`);
  const words = outcome.state === "complete"
    ? `Verified on ${others.join(", ")}, and on ${primary} again`
    : outcome.primaryVerified === false
    ? `Not verified: ${primary} no longer passes`
    : "Not verified";
  const fixes = `${outcome.fixes.length} ${outcome.fixes.length === 1 ? "fix" : "fixes"}`;
  stdout.write(`${words}, after ${fixes} for other distributions.\n\n`);
  return outcome.state === "complete";
}

/** Resumes the session with its own configuration where options do not override it; a plugin that does not load is left to the loop. */
async function resumeSession(
  harness: Harness,
  { target, config, force }: StartRequest,
  branch: string,
  { signal, race }: Interruption,
  say: (line: string) => unknown,
): Promise<void> {
  const asBefore = Object.keys(config).length === 0;
  const pluginPath = target.target === undefined ? {} : { pluginPath: resolve(target.target) };
  const options = { signal, force };
  const resumed = harness.resumeSession({ branch, ...pluginPath, provision: asBefore }, options);
  await unlessOpen(harness, race(resumed.then((session) => takenUp(session).forEach(say))));
  const session = harness.session();
  if (!asBefore) await race(session.environment.provision(config, { signal }));
  const configValues = { ...target.variables, ...target.secrets };
  if (Object.keys(configValues).length > 0) {
    await unlessOpen(harness, race(session.plugin.load({ configValues }, { signal })));
  }
}

/** Describes the state that a session resumes from, and what could not be restored. */
function takenUp({ iteration, commits: { fixes }, degraded }: ResumedSession): string[] {
  const from = iteration === 0 ? "no iteration was completed" : `the latest iteration was ${iteration}`;
  return [`  Resuming: ${fixes} ${fixes === 1 ? "fix" : "fixes"} on the branch, ${from}`].concat(
    degraded.map((what) => `  Lost: ${plainLine(what)}`),
  );
}

/** Lets pass what fails once the environment is there: the loop meets it again, and says why. */
async function unlessOpen(harness: Harness, work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    const isOpen = harness.state === "active" && harness.session().report().environment !== undefined;
    if (!isOpen || asPthError(error).code === "INTERRUPTED") throw error;
  }
}

const reasons = {
  max_iterations: "the limit of iterations is reached (--max-iterations)",
  no_progress: "no progress (--patience)",
  cancelled: "it was cancelled",
};

/** @param fixes also those of an iteration that was cut short */
function verdict({ state, reason, standing, records }: IterationOutcome, fixes: number): string {
  const made = `${fixes} ${fixes === 1 ? "fix" : "fixes"} in ${records.length} ${
    records.length === 1 ? "iteration" : "iterations"
  }`;
  if (state === "green") return `Green after ${made}.`;
  const failed = failedOf(standing);
  const left = isUnknown(standing)
    ? "no test has run"
    : standing.loadError === undefined
    ? `${failed} ${failed === 1 ? "test" : "tests"} still failing`
    : "the plugin does not load";
  return `Stopped after ${made}, ${left}: ${reason === undefined ? "no fix was given" : reasons[reason]}.`;
}

/** A session that never came to be has none. */
async function branchFacts(harness: Harness): Promise<BranchFacts> {
  if (harness.state !== "active") return { files: [], fixes: [] };
  const session = harness.session();
  const { base, repository } = session.info().source;
  const { records } = await session.fixes.history();
  const diff = await session.fixes.diff({ stat: true });
  return {
    ...(base === undefined ? {} : { base }),
    ...(repository === undefined ? {} : { repository }),
    files: diff?.files ?? [],
    fixes: records.filter(({ type }) => type === "fix" || type === "revert").toReversed(),
  };
}

const testsShown = 20;
const changesShown = 10;

/** Whether no test fails there; says what came of it. */
export async function runClean(
  session: Session,
  suite: SuiteOptions,
  { signal, race }: Interruption,
  say: (line: string) => unknown,
): Promise<boolean> {
  say("Running all tests in a new environment …");
  const verification = await race(session.tests.runClean(suite, { signal }));
  cleanLines(verification).forEach(say);
  return verification.failed.length === 0;
}

function cleanLines({ drift, failed, onlyDirty, summary }: CleanRunReport): string[] {
  const named = (results: CleanRunReport["failed"]) =>
    results.slice(0, testsShown).map(({ name }) => `    ${plainLine(name)}`);
  const changes = drift?.changes.filter(({ byLoad }) => !byLoad) ?? [];
  if (failed.length === 0) return [`Verified in a new environment: ${count(summary.passed, "test")} passed.`];
  const others = failed.filter(({ id }) => !onlyDirty.some((dirty) => dirty.id === id));
  return [
    `In a new environment ${count(failed.length, "test")} failed.`,
    ...(onlyDirty.length === 0 ? [] : [
      "  Passed only in the environment that was used for fixing:",
      ...named(onlyDirty),
      ...(changes.length === 0 ? [] : [
        "  Differences from a new environment:",
        ...changes.slice(0, changesShown).map(({ group, name, change }) => `    ${group} ${name} ${change}`),
        ...(changes.length > changesShown ? [`    … ${changes.length - changesShown} more`] : []),
      ]),
    ]),
    ...(others.length === 0 ? [] : ["  Failed:", ...named(others)]),
  ];
}
