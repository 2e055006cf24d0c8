/** The plugin's own tests as a part of a session's runs: whether they run, and the results that they come to. */
import { isAbsolute, join } from "node:path";
import type { OwnTestsEnd, ProjectTestRun } from "../../../machines/model/project_test_run.ts";
import type { TestResult } from "../../../machines/model/test_result.ts";
import {
  outputWithPlace,
  type OwnTestResult,
  type OwnTestRun,
  ownTestsNotRun,
  ownTestsSkipped,
  resultsOfAnswer,
  withOwnIds,
} from "../../actors/project_tests/own_test_results.ts";
import { runsOn } from "../../actors/tests/runs_on.ts";
import type { OwnTestOptions } from "../../../machines/model/suite_options.ts";
import type { SuiteOptions } from "../../api/harness.ts";
import { definedOnly } from "../../core/values.ts";
import { filterTests } from "../../testing/run/test_plan.ts";
import { isLooping, isMatrixRunning, type SessionParts } from "../session/session_parts.ts";
import { shownFolder } from "./discover_tests.ts";
import { type FollowedOwnTests, testIdentity } from "./follow_suite.ts";

/** Characters of a test's output that its result has; a diagnosis has more. */
const tailLength = 4000;

interface OwnTestsPlan {
  /** Options of the suite of other tests; undefined where the choice means own tests alone. */
  suite: SuiteOptions | undefined;
  /** One for each framework; absent where they do not run. */
  runs?: ProjectTestRun[];
  notes?: string[];
}

interface EndedOwnTests {
  runs: ProjectTestRun[];
  /** Ends of the runs that began. */
  ends: OwnTestsEnd[];
  /** Reason why the suite before them ended. */
  reason: string;
}

export const ownTestSteps = { plan, collect };

export type OwnTestSteps = typeof ownTestSteps;

/**
 * Own tests run together, and all others before them. Whoever names some of them, or all of a status that one of them has, need
 * not ask for own tests anew; who names others alone leaves them out, once they have run. A loop goes on with those that have
 * run: their failures count against green, and are to be mended.
 */
function plan(context: SessionParts, { ownTests, ...suite }: SuiteOptions): OwnTestsPlan {
  const { tests, results } = context;
  const { ids, status, shard } = suite;
  const others = {
    ...suite,
    ...definedOnly({ ids: ids?.filter((id) => !tests.own.some((own) => own.id === id)) }),
  };
  const isNamed = ids !== undefined || status !== undefined;
  if (isNamed && tests.own.length > 0) {
    const statuses = results.statuses();
    const named = filterTests(tests.own, definedOnly({ ids, status }), statuses);
    if (named.length === 0) return { suite: others };
    const isAlone = filterTests(tests.all, others, statuses).length === 0;
    return { suite: isAlone ? undefined : others, runs: tests.ownRuns! };
  }
  const runs = ownTests !== undefined
    ? runsOf(ownTests)
    : isLooping(context) || isMatrixRunning(context)
    ? tests.ownRuns
    : undefined;
  if (runs === undefined) return { suite: others };
  if (shard !== undefined && shard.index > 1) {
    const note = `The plugin's own tests run in part 1 of ${shard.of}, and not in this one.`;
    return { suite: others, notes: [note] };
  }
  return { suite: others, runs };
}

function runsOf({ frameworks = [], ...choice }: OwnTestOptions): ProjectTestRun[] {
  const run = { projectRoot: ".", ...choice };
  return frameworks.length === 0 ? [run] : frameworks.map((framework) => ({ ...run, framework }));
}

/** Makes the results and keeps them, with what is needed to diagnose failures. @throws what says nothing of the plugin */
async function collect(
  context: SessionParts,
  { runs, ends, reason }: EndedOwnTests,
): Promise<{ followed: FollowedOwnTests; notes: string[] }> {
  const { tests, live } = context;
  const made = await Promise.all(runs.map((run, at) => resultsOf(run, ends[at], reason)));
  const ended = withOwnIds(made.flatMap((run) => run.results));
  const results = ended.map((each) => resultOf(context, each));
  const followed = {
    tests: ended.map(({ test }) => shown(context, test)),
    results,
    reason: reasonOf(ends),
  };
  // Runs without an answer change nothing of what is known: it is told as results of older code.
  const isSkipped = results.every(({ status }) => status === "skipped") &&
    ends.every((end) => "error" in end);
  if (!isSkipped || tests.own.length === 0) keep(context, runs, followed);
  for (const each of ended) {
    if (each.verdict.status !== "failed") continue;
    const stderr = live.secrets.redact.text(outputWithPlace(each));
    live.evidence.failures.keep(each.test.id, { exchange: [], stderr, strayOutput: [], commands: [] });
  }
  return { followed, notes: made.flatMap((run) => run.notes) };
}

async function resultsOf(
  { framework }: ProjectTestRun,
  end: OwnTestsEnd | undefined,
  reason: string,
): Promise<OwnTestRun> {
  if (end === undefined) {
    const why = reason === "bailed" ? "enough tests failed" : "the run was cancelled";
    return { results: ownTestsSkipped(`not run: ${why}`, framework), notes: [] };
  }
  if ("answer" in end) return await resultsOfAnswer(end.answer);
  const isCancelled = end.error instanceof Error && end.error.name === "AbortError";
  return {
    results: isCancelled
      ? ownTestsSkipped("not run to their end: cancelled", framework)
      : ownTestsNotRun(end.error, framework),
    notes: [],
  };
}

function resultOf(context: SessionParts, { test, verdict, durationMs, output }: OwnTestResult): TestResult {
  const { live } = context;
  const tail = verdict.status === "failed" ? output.slice(-tailLength) : "";
  return live.secrets.redact.value({
    ...verdict,
    ...testIdentity(shown(context, test)),
    ...runsOn(live),
    durationMs,
    startedAt: Date.now(),
    ...(tail === "" ? {} : { stderrTail: tail }),
  });
}

/** Files are named as those of other tests are. */
const shown = (context: SessionParts, test: OwnTestResult["test"]): OwnTestResult["test"] =>
  test.file === undefined || isAbsolute(test.file)
    ? test
    : { ...test, file: join(shownFolder(context), test.file) };

function keep(
  { tests, results: { latest }, live }: SessionParts,
  runs: ProjectTestRun[],
  followed: FollowedOwnTests,
): void {
  const gone = tests.own.map(({ id }) => id);
  for (const id of gone) latest.delete(id);
  live.evidence.forget(gone);
  tests.own = followed.tests;
  tests.ownRuns = runs;
  for (const result of followed.results) latest.set(result.id, result);
}

function reasonOf(ends: readonly OwnTestsEnd[]): string {
  const ran = ends.flatMap((end) =>
    "answer" in end && end.answer.summary !== null ? [end.answer.framework] : []
  );
  return ran.length === 0 ? "they did not run" : `by ${ran.join(", ")}`;
}
