/** Aggregates reports of tests to the report of a run of fixtures, and past runs to its trend. */
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

/** @param earlier Reports of earlier runs, in any order; those that they tell of count, too */
export function runReport(
  fixtures: readonly ReportedFixture[],
  { notes = [], earlier = [] }: { notes?: readonly string[]; earlier?: readonly FixtureRunReport[] } = {},
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
    status: statusOf(summary),
    summary,
    fixtures: fixtures.map((fixture) => ({
      ...fixture,
      summary: summaryOf(fixture.tests, fixture.skipped.length),
    })),
    earlier: earlierRuns(earlier, start),
    notes: [...notes],
  };
}

/** Reports of single tests as a run; fixtures in the order of their first tests. */
export function runOfTests(
  tests: readonly TestReport[],
  earlier: readonly FixtureRunReport[] = [],
): FixtureRunReport {
  const fixtures = new Map<string, ReportedFixture>();
  for (const test of tests) {
    const { fixture: name, plugin } = test.meta;
    const key = `${plugin}\n${name}`;
    const known = fixtures.get(key) ?? { name, description: "", plugin, tests: [], skipped: [] };
    known.tests.push(test);
    fixtures.set(key, known);
  }
  return runReport([...fixtures.values()], { earlier });
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

const statusOf = ({ pass, partial, fail }: RunSummary): FixtureRunReport["status"] =>
  partial + fail === 0 ? "pass" : pass + partial === 0 ? "fail" : "partial";

function earlierRuns(reports: readonly FixtureRunReport[], start: number): EarlierRun[] {
  const runs = new Map(
    reports.flatMap((report) => [...report.earlier, earlierRun(report)]).map((run) => [run.started_at, run]),
  );
  return [...runs.values()].filter(({ started_at: at }) => Date.parse(at) < start)
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
