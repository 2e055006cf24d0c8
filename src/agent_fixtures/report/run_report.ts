/** Aggregates reports of tests to the report of a run of fixtures, and past runs to its trend. */
import { PthError } from "../../core/errors.ts";
import type { EarlierRun, FixtureRunReport, RunSummary, SkippedReport, TestReport } from "./report_schema.ts";

/** Fixture with what its tests came to. */
export interface ReportedFixture {
  name: string;
  description: string;
  plugin: string;
  tests: TestReport[];
  skipped: SkippedReport[];
}

/** Earlier runs that a report keeps. */
const mostEarlier = 20;

/**
 * @param earlier Reports of earlier runs, in any order; those that they tell of count, too
 * @param errors Reasons why fixtures did not run, or not to their end: such a run has not passed
 * @param known Earlier runs without their reports
 */
export function runReport(
  fixtures: readonly ReportedFixture[],
  { errors = [], notes = [], earlier = [], known = [] }: {
    errors?: readonly string[];
    notes?: readonly string[];
    earlier?: readonly FixtureRunReport[];
    known?: readonly EarlierRun[];
  } = {},
): FixtureRunReport {
  const tests = fixtures.flatMap((fixture) => fixture.tests);
  const begun = tests.map(({ meta }) => Date.parse(meta.timestamp));
  const ended = tests.map(({ meta }) => Date.parse(meta.timestamp) + meta.duration_ms);
  const start = tests.length === 0 ? 0 : Math.min(...begun);
  const summary = summaryOf(tests, fixtures.reduce((sum, { skipped }) => sum + skipped.length, 0));
  return {
    schema: "pth-fixture-run/1",
    started_at: new Date(start).toISOString(),
    duration_ms: tests.length === 0 ? 0 : Math.max(...ended) - start,
    status: statusOf(summary, errors),
    summary,
    fixtures: fixtures.map((fixture) => ({
      ...fixture,
      summary: summaryOf(fixture.tests, fixture.skipped.length),
    })),
    earlier: earlierRuns([...known, ...earlier.flatMap((run) => [...run.earlier, earlierRun(run)])], start),
    errors: [...errors],
    notes: [...notes],
  };
}

/** Reports of single tests as a run. */
export const runOfTests = (
  tests: readonly TestReport[],
  earlier: readonly FixtureRunReport[] = [],
): FixtureRunReport => runReport(fixturesOf(tests), { earlier });

/** Tests by their fixtures, in the order of the first of each. */
function fixturesOf(tests: readonly TestReport[]): ReportedFixture[] {
  const fixtures = new Map<string, ReportedFixture>();
  for (const test of tests) {
    const { fixture: name, plugin } = test.meta;
    const key = `${plugin}\n${name}`;
    const known = fixtures.get(key) ?? { name, description: "", plugin, tests: [], skipped: [] };
    known.tests.push(test);
    fixtures.set(key, known);
  }
  return [...fixtures.values()];
}

/**
 * Reports of tests and of runs as one run.
 * @throws {PthError} `INVALID_INPUT` where a test is in more than one of them
 */
export function combinedRun(
  { tests, runs }: { tests: readonly TestReport[]; runs: readonly FixtureRunReport[] },
  earlier: readonly FixtureRunReport[],
): FixtureRunReport {
  const fixtures = [...runs.flatMap((run) => run.fixtures), ...fixturesOf(tests)];
  const keys = fixtures.flatMap(({ name, tests: own }) => own.map(({ meta }) => testKey(name, meta.test_id)));
  const twice = keys.find((key, at) => keys.indexOf(key) !== at);
  if (twice !== undefined) {
    throw new PthError(
      "INVALID_INPUT",
      `Cannot combine reports: the test ${twice} is in them more than once`,
      {
        next: [{ terminal: "Give reports of earlier runs by --earlier" }],
      },
    );
  }
  const notes = runs.flatMap((run) => run.notes);
  const errors = runs.flatMap((run) => run.errors);
  return runReport(fixtures, { errors, notes, earlier, known: runs.flatMap((run) => run.earlier) });
}

function summaryOf(tests: readonly TestReport[], skipped: number): RunSummary {
  const counted = (status: TestReport["meta"]["status"]) =>
    tests.filter(({ meta }) => meta.status === status).length;
  const expectations = tests.flatMap((test) => test.expectations);
  return {
    total: tests.length + skipped,
    pass: counted("pass"),
    partial: counted("partial"),
    fail: counted("fail"),
    skipped,
    pass_rate: `${expectations.filter(({ status }) => status === "pass").length}/${expectations.length}`,
  };
}

/** A run without a test that ran proves nothing. */
function statusOf(
  { pass, partial, fail }: RunSummary,
  errors: readonly string[],
): FixtureRunReport["status"] {
  if (pass + partial === 0) return "fail";
  return partial + fail + errors.length === 0 ? "pass" : "partial";
}

function earlierRuns(all: readonly EarlierRun[], start: number): EarlierRun[] {
  return [...new Map(all.map((run) => [run.started_at, run])).values()]
    .filter(({ started_at: at }) => Date.parse(at) < start)
    .sort((a, b) => Date.parse(a.started_at) - Date.parse(b.started_at)).slice(-mostEarlier);
}

function earlierRun({ started_at, duration_ms, summary, fixtures }: FixtureRunReport): EarlierRun {
  const statuses = fixtures.flatMap(({ name, tests, skipped }) => [
    ...tests.map(({ meta }) => [testKey(name, meta.test_id), meta.status] as const),
    ...skipped.map(({ test_id: id }) => [testKey(name, id), "skipped"] as const),
  ]);
  return { started_at, duration_ms, summary, statuses: Object.fromEntries(statuses) };
}

/** Key of a test among the statuses of an earlier run. */
export const testKey = (fixture: string, id: string): string => `${fixture}/${id}`;
