/** `pth run --matrix`: the same suite in several environments, side by side, and one report of all. */
import type { MatrixEntry } from "../../../machines/model/matrix.ts";
import { asPthError, errorMessage, PthError } from "../../core/errors.ts";
import type { EndReport, Harness } from "../../api/harness.ts";
import { checkedWhere, combineRuns, type EntryRun } from "../../matrix/combine_runs.ts";
import { applyEntry } from "../../matrix/matrix_entries.ts";
import { definedOnly } from "../../core/values.ts";
import { cpuCount } from "../../platform/host.ts";
import { holdLocks } from "../../registry/hold_locks.ts";
import { parseTarget } from "../../session/parse_target.ts";
import type { CommandContext } from "../command.ts";
import { type Interruption, listenForInterrupts } from "../listen_for_interrupts.ts";
import type { MatrixRequest } from "../options/matrix_options.ts";
import type { StartRequest } from "../options/start_options.ts";
import type { SuiteRequest } from "../options/suite_options.ts";
import { openReporters } from "../open_reporters.ts";
import { exitCodeOf, finishRun, type RunFindings, testTarget } from "../run_target.ts";
import { inParallel } from "../in_parallel.ts";
import { leftovers } from "../with_harness.ts";
import { followEntries, type FollowEntry } from "./follow_entries.ts";

interface Ask {
  start: StartRequest;
  request: SuiteRequest;
  context: CommandContext;
  interruption: Interruption;
}

/** Result of one matrix entry, with the details that only the command line needs. */
interface Finished extends EntryRun {
  known: RunFindings;
  ended?: EndReport;
}

/** Runs and answers the exit code. @throws {PthError} the first environment's that could not be tested, after all is reported */
export async function runMatrix(
  start: StartRequest,
  request: SuiteRequest,
  { entries, parallel = Math.min(2, cpuCount()) }: MatrixRequest,
  context: CommandContext,
): Promise<number> {
  const reporters = await openReporters(request, start.name, context);
  const release = await lockTarget(start);
  const interruption = listenForInterrupts(context);
  const started = performance.now();
  try {
    const follow = followEntries(entries, (fact) => reporters.follow(fact));
    const ask = { start, request, context, interruption };
    const all = await inParallel(entries, parallel, (entry) => runEntry(entry, ask, follow(entry)));
    const runs = all.map(checkedWhere);
    const known = knownOf(runs, performance.now() - started);
    const exitCode = exitCodeOf(known, interruption);
    await finishRun(reporters, request, known, exitCode);
    tellLeftovers(runs, context);
    if (known.error !== undefined && interruption.exitCode() === undefined) throw known.error;
    return exitCode;
  } finally {
    await release();
    interruption.stop();
  }
}

/** One lock for all: each entry's session is beside the others. @throws {PthError} `SESSION_LOCKED`, `TARGET_NOT_FOUND` */
async function lockTarget({ target, force }: StartRequest): Promise<() => Promise<void>> {
  const parsed = await parseTarget(target);
  return await holdLocks(parsed.kind === "folder" ? [parsed.path] : [], { force });
}

/** A session of its own: a copy of the plugin, an environment, a server. Whatever stops it, the others go on. */
async function runEntry(entry: MatrixEntry, ask: Ask, follow: FollowEntry): Promise<Finished> {
  const { start, request, context, interruption } = ask;
  const started = performance.now();
  const run: Finished = { entry, known: {}, durationMs: 0 };
  if (interruption.signal.aborted) return { ...run, cancelled: true };
  const harness = await context.createHarness({
    announce: { command: start.command, target: start.name, entry: entry.name },
    keepsHistory: false,
    ...definedOnly({ stately: start.stately }),
  });
  const stopFollowing = harness.on(follow.fact);
  try {
    await testTarget(harness, ofEntry(entry, start), request, interruption, run.known);
    await diagnose(harness, run, interruption, follow);
  } catch (error) {
    run.error = asPthError(error, `Cannot finish the run on ${entry.name}`);
  }
  if (harness.state === "active") run.report = harness.session().report();
  if (interruption.signal.aborted) {
    delete run.error;
    run.cancelled = true;
  }
  run.durationMs = performance.now() - started;
  follow.over(run);
  stopFollowing();
  try {
    run.ended = await harness.endSession({ keep: start.keep && !run.cancelled });
    await harness.close();
  } catch (error) {
    run.error ??= asPthError(error, `Cannot end the run on ${entry.name}`);
  }
  return run;
}

const ofEntry = (entry: MatrixEntry, start: StartRequest): StartRequest => ({
  ...start,
  target: { ...start.target, beside: true },
  config: applyEntry(entry, start.config),
});

/** Adds the root causes of failures to the comparison; a failed diagnosis does not change the verdict. */
async function diagnose(
  harness: Harness,
  run: Finished,
  { signal, race }: Interruption,
  follow: FollowEntry,
): Promise<void> {
  const session = harness.session();
  if (session.tests.results().summary.failed === 0) return;
  try {
    run.diagnosis = await race(session.fixes.diagnose({}, { signal }));
  } catch (error) {
    if (signal.aborted) throw error;
    follow.note(`Cannot diagnose its failures: ${errorMessage(error)}`);
  }
}

function knownOf(runs: readonly Finished[], durationMs: number): RunFindings {
  const report = combineRuns(runs, durationMs);
  const tests = new Map(runs.flatMap(({ report }) => report?.tests ?? []).map((test) => [test.id, test]));
  const generated = runs.find(({ known }) => known.generated !== undefined)?.known.generated;
  const broken = runs.filter(({ error }) => error !== undefined);
  return {
    testsToWrite: [...tests.values()],
    ...(report === undefined ? {} : { report }),
    ...(generated === undefined ? {} : { generated }),
    ...(broken.length === 0 ? {} : { error: errorOf(broken) }),
  };
}

/** The first of them, with what to do about the others, too. */
function errorOf(broken: readonly EntryRun[]): PthError {
  const [{ entry, error }] = broken as [EntryRun];
  const { code, message, context } = error!;
  const others = broken.slice(1).map((run) => `${run.entry.name}: ${run.error!.message}`);
  const next = broken.flatMap((run) => run.error!.context.next ?? []);
  return new PthError(code, `Cannot test on ${entry.name}: ${message}`, {
    ...context,
    ...(others.length === 0 ? {} : { alsoNotTested: others }),
    next,
  }, { cause: error });
}

function tellLeftovers(runs: readonly Finished[], { stderr }: CommandContext): void {
  const ended = runs.flatMap((run) => run.ended ?? []);
  const all = {
    kept: ended.flatMap(({ kept }) => kept),
    leftBehind: ended.flatMap(({ leftBehind }) => leftBehind),
  };
  for (const line of leftovers(all)) stderr.write(`${line}\n`);
}
