import t from "tap";
import { toReport } from "../../../../src/testing/report/report.ts";
import { mergeCoverage } from "../../../../src/testing/report/merge_coverage.ts";
import { mergeReports } from "../../../../src/testing/report/merge_reports.ts";
import {
  type Report,
  type ReportCoverage,
  reportSchema,
} from "../../../../src/testing/report/report_schema.ts";
import { fullRun } from "../reporters/full_run.ts";
import { died } from "../reporters/recorded_run.ts";

const whole: Report = reportSchema.parse(JSON.parse(JSON.stringify(toReport(fullRun))));

/** The i-th of n parts of the recorded run. */
function part(index: number, of: number, more: Partial<Report> = {}): Report {
  const tests = whole.tests.filter((_, at) => at % of === index - 1);
  const counted = (status: string) => tests.filter((test) => test.status === status).length;
  const summary = {
    total: tests.length,
    passed: counted("passed"),
    failed: counted("failed"),
    skipped: counted("skipped"),
    flaky: counted("flaky"),
    duration_ms: 100,
  };
  return {
    ...whole,
    tests,
    summary,
    shard: { index, of },
    exit_code: counted("failed") > 0 ? 1 : 0,
    ...more,
  };
}

const named = (...reports: Report[]) =>
  reports.map((report, index) => ({ file: `${index + 1}.json`, report }));

t.test("a tool that one part exercised is exercised, whatever happened to it in the others", (t) => {
  const told = (...states: ("exercised" | "refused" | "not_reached")[]) => ({
    exercise: states.map((state, index) => ({ tool: `t${index + 1}`, state })),
  });
  const { exercise } = mergeReports(named(
    part(1, 2, told("not_reached", "exercised", "refused")),
    part(2, 2, told("exercised", "refused", "not_reached")),
  ));
  t.same(exercise?.map(({ state }) => state), ["exercised", "exercised", "refused"]);
  t.end();
});

t.test("all parts together are the whole", (t) => {
  const merged = mergeReports(named(part(1, 3), part(2, 3), part(3, 3)));
  t.ok(reportSchema.safeParse(merged).success);
  t.same(merged.tests.map(({ name }) => name).sort(), whole.tests.map(({ name }) => name).sort());
  t.match(merged.summary, { total: 6, passed: 2, failed: 2, skipped: 1, flaky: 1, duration_ms: 300 });
  t.equal(merged.exit_code, 1, "the worst");
  t.equal(merged.findings.length, 1, "a finding of all parts is there once");
  t.notOk("shard" in merged);
  t.notOk("error" in merged);
  t.end();
});

t.test("a missing part is an error: nobody knows what it would have found", (t) => {
  const merged = mergeReports(named(part(1, 4), part(3, 4)));
  t.equal(merged.exit_code, 2);
  t.match(merged.error?.message, "parts 2, 4 of 4 are missing");
  t.end();
});

t.test("a test that two parts ran counts once, with its worst outcome, and that is told", (t) => {
  const passed = { ...whole.tests[2]!, status: "passed" as const };
  const merged = mergeReports(
    named(part(1, 2, { tests: [passed] }), part(2, 2, { tests: [whole.tests[2]!] })),
  );
  t.match(merged.summary, { total: 1, failed: 1, passed: 0 });
  t.ok(merged.notes.some((note) => note.endsWith("is in 1.json (passed) and in 2.json (failed)")));
  t.end();
});

t.test("what differs among the parts is told", (t) => {
  const other = { ...whole.environment!, runtime: "sandbox" };
  const merged = mergeReports(named(part(1, 2), part(2, 2, { environment: other, seed: 7 })));
  t.ok(merged.notes.includes("The parts differ in runtime: 1.json docker, 2.json sandbox"));
  t.ok(merged.notes.includes("The parts differ in seed: 1.json 42, 2.json 7"));
  t.end();
});

t.test("a part that died makes the whole one that died", (t) => {
  const broken = reportSchema.parse(JSON.parse(JSON.stringify(toReport(died))));
  const merged = mergeReports(named(part(1, 2), { ...broken, shard: { index: 2, of: 2 } }));
  t.equal(merged.exit_code, 3);
  t.equal(merged.error?.code, "INSTALL_FAILED");
  t.equal(merged.summary.total, 3, "and keeps the tests that ran");
  t.end();
});

t.test("coverage is added line by line, also of branches that share a line", (t) => {
  const of = (lines: Record<string, number>, hits: number[][], path = "a.ts"): ReportCoverage => ({
    collector: "v8",
    files: [{
      path,
      lines,
      functions: [{ name: "f", line: 1, end_line: 3, hits: hits.length }],
      branches: hits.map((ways) => ({ line: 2, hits: ways })),
      tools: [],
    }],
    totals: {
      lines: { covered: 0, total: 0 },
      functions: { covered: 0, total: 0 },
      branches: { covered: 0, total: 0 },
    },
    gaps: [{ path, line: 2, end_line: 2, kind: "lines" }, { path, line: 3, end_line: 3, kind: "lines" }],
    notes: ["same"],
  });
  const merged = mergeCoverage([
    of({ 1: 1, 2: 0, 3: 0 }, [[1, 0], [0, 0]]),
    of({ 1: 1, 2: 5, 3: 0 }, [[0, 2], [0, 1]]),
    of({ 1: 0 }, [], "b.ts"),
  ])!;
  t.same(merged.files[0]!.lines, { 1: 2, 2: 5, 3: 0 });
  t.same(merged.files[0]!.branches, [{ line: 2, hits: [1, 2] }, { line: 2, hits: [0, 1] }]);
  t.same(merged.totals, {
    lines: { covered: 2, total: 4 },
    functions: { covered: 1, total: 2 },
    branches: { covered: 3, total: 4 },
  });
  t.same(merged.gaps?.map(({ path, line }) => `${path}:${line}`), ["a.ts:3", "b.ts:2", "b.ts:3"]);
  t.same(merged.notes, ["same"]);
  t.equal(mergeCoverage([]), undefined);
  t.end();
});
