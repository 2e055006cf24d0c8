/** Exit code, reports and texts of one result: a table of runs, each rendered in every way, which must agree. */
import t from "tap";
import type { RunReport } from "../../../machines/model/session.ts";
import type { TestResult } from "../../../machines/model/test_result.ts";
import { changesSummary, countChanges } from "../../../src/contract/changes_summary.ts";
import { PthError } from "../../../src/core/errors.ts";
import { combineRuns } from "../../../src/matrix/combine_runs.ts";
import { entryOf } from "../../../src/matrix/matrix_entries.ts";
import { countFinds, foundText } from "../../../src/testing/fuzz/found_test.ts";
import { toReport } from "../../../src/testing/report/report.ts";
import { runOfReport } from "../../../src/testing/report/run_of_report.ts";
import type { FinishedRun } from "../../../src/testing/reporter.ts";
import { registry } from "../../../src/testing/reporters/_registry.ts";
import { resultsVerdict, summarizeSuite } from "../../../src/testing/report/results_verdict.ts";
import { runOutcome, type RunState } from "../../../src/testing/report/run_outcome.ts";
import { resultsData, resultsText } from "../../../src/tools/text/results_text.ts";
import { report, written } from "./reporters/recorded_run.ts";
import type { TestStatus } from "../../../machines/model/verdict.ts";

interface Row {
  name: string;
  statuses: TestStatus[];
  error?: PthError;
  interrupted?: number;
  state: RunState;
  exitCode: number;
}

const rows: Row[] = [
  { name: "passed", statuses: ["passed", "passed"], state: "passed", exitCode: 0 },
  { name: "failed", statuses: ["passed", "failed", "skipped"], state: "failed", exitCode: 1 },
  { name: "flaky", statuses: ["passed", "flaky"], state: "passed", exitCode: 0 },
  { name: "flaky and failed", statuses: ["flaky", "failed"], state: "failed", exitCode: 1 },
  { name: "skipped only", statuses: ["skipped", "skipped"], state: "untested", exitCode: 0 },
  { name: "none ran", statuses: [], state: "empty", exitCode: 0 },
  {
    name: "cancelled",
    statuses: ["passed", "skipped"],
    error: new PthError("INTERRUPTED", "Cannot go on: interrupted"),
    interrupted: 130,
    state: "cancelled",
    exitCode: 130,
  },
  {
    name: "environment failed",
    statuses: [],
    error: new PthError("PROVISION_FAILED", "Cannot provision environment: no"),
    state: "broken",
    exitCode: 3,
  },
  {
    name: "environment lost after tests passed",
    statuses: ["passed"],
    error: new PthError("ENVIRONMENT_LOST", "Cannot reach environment"),
    state: "broken",
    exitCode: 3,
  },
];

const resultOf = (status: TestStatus, index: number): TestResult => ({
  id: `t${index}`,
  name: `test ${index}`,
  tier: 1,
  tool: "greet",
  generatedFrom: "manual",
  status,
  findings: [],
  durationMs: 1,
  startedAt: 0,
  ...(status === "failed" ? { message: "broke" } : {}),
});

function runOf({ statuses, error, interrupted }: Row): FinishedRun & { report: RunReport } {
  const results = statuses.map(resultOf);
  const summary = summarizeSuite(results, 1);
  const { findings: _none, ...base } = report;
  return {
    target: "/p",
    report: { ...base, tests: [], findings: [], results, summary },
    notes: [],
    exitCode: runOutcome({ summary, error, interrupted }).exitCode,
    ...(error === undefined ? {} : { error }),
    startedAt: 0,
    durationMs: 1,
    strict: false,
    files: [],
  };
}

/** What a reporter wrote of the run. */
function textOf(name: string, run: FinishedRun): string {
  const definition = registry.find((one) => one.name === name)!;
  const facts = run.report!.results.map((result) => ({ type: "test.finished", test: result, result }));
  return written(definition, facts as never, run);
}

const attribute = (text: string, name: string): number =>
  Number(new RegExp(`<testsuites[^>]* ${name}="(\\d+)"`).exec(text)?.[1]);

/** Words that say that all is well; only a run that passed may have them. */
const praise = /All \d+ tests? passed|No test failed|All tests pass|No test fails|no test fails/;

for (const row of rows) {
  t.test(row.name, (t) => {
    const run = runOf(row);
    const { summary, results } = run.report;
    const { state, exitCode, text } = runOutcome({ summary, error: row.error, interrupted: row.interrupted });
    t.same({ state, exitCode }, { state: row.state, exitCode: row.exitCode });
    const isWell = row.state === "passed";
    t.equal(praise.test(text), isWell, text);

    const published = toReport(run);
    const { duration_ms: _time, ...figures } = published.summary;
    const { durationMs: _same, ...counted } = summary;
    t.same(figures, counted);
    t.equal(published.exit_code, exitCode);
    t.equal(published.tests.length, summary.total);
    t.same(JSON.parse(textOf("json", run)).summary, published.summary);
    const again = toReport(runOfReport(published));
    t.same(
      [again.summary, again.exit_code],
      [published.summary, published.exit_code],
      "read back it is the same",
    );

    const html = textOf("html", run);
    t.match(html, `class="top ${state}"`);
    t.match(html, `<h1>${text}</h1>`);
    const markdown = textOf("markdown", run);
    t.match(markdown, text);
    const spec = textOf("spec", run);
    t.equal(praise.test(spec), false, "the figures tell it");
    if (summary.total > 0) t.match(spec, `${summary.passed} passed, ${summary.failed} failed`);
    t.equal(spec.includes(`${text}.`), state !== "passed" && state !== "failed", spec);

    const junit = textOf("junit", run);
    const errors = row.error === undefined ? 0 : 1;
    t.equal(attribute(junit, "failures"), summary.failed);
    t.equal(attribute(junit, "errors"), errors);
    t.equal(attribute(junit, "tests"), summary.total + errors);
    t.equal(attribute(junit, "failures") + attribute(junit, "errors") > 0, exitCode !== 0, "as CI sees it");
    const tap = textOf("tap", run);
    t.equal(tap.match(/^not ok /gm)?.length ?? 0, summary.failed);
    t.equal(/^Bail out!/m.test(tap), row.error !== undefined);
    t.equal(/^(not ok |Bail out!)/m.test(tap), exitCode !== 0, "as a TAP harness sees it");
    const github = textOf("github", run);
    t.equal(/^::error/m.test(github), exitCode !== 0, github);

    const told = resultsText({ summary, results });
    t.match(told, new RegExp(`^${summary.total} tests?: `));
    t.same(resultsData({ summary, results }, true).summary, summary);
    const verdict = resultsVerdict({ summary, tests: summary.total });
    t.equal(verdict.state === "failed", summary.failed > 0);
    if (row.error === undefined) t.equal(verdict.state === "passed", isWell, verdict.text);

    const entry = entryOf({ runtime: "docker" });
    const part = { entry, report: run.report, durationMs: 1 };
    const combined = combineRuns(
      [
        row.interrupted === undefined ? part : { ...part, cancelled: true },
      ].map((one) =>
        row.error === undefined || row.interrupted !== undefined ? one : { ...one, error: row.error }
      ),
      1,
    )!;
    t.same(combined.summary, { ...summary, durationMs: 1 });
    const [seen] = combined.matrix!.entries;
    t.equal(seen?.state === "failed", row.state === "failed");
    t.equal(seen?.state === "broken", row.state === "broken" || row.state === "empty");
    t.equal(seen?.state === "cancelled", row.state === "cancelled");
    t.end();
  });
}

t.test("what fuzzing and a comparison of contracts count is what they tell", (t) => {
  const severities = [[], ["failure"], ["finding"], ["failure", "finding", "failure"]] as const;
  for (const one of severities) {
    const finds = one.map((severity) => ({ severity }));
    const { faults, findings } = countFinds(finds);
    t.equal(faults + findings, finds.length);
    t.match(
      foundText(finds),
      new RegExp(`^${faults} faults?${findings === 0 ? "$" : `, ${findings} findings?$`}`),
    );
  }
  const impacts = [[], ["breaking"], ["notice", "compatible"], ["breaking", "breaking", "notice"]] as const;
  for (const one of impacts) {
    const changes = one.map((impact) => ({ impact, code: "c", path: "p", message: "m" }));
    const { breaking } = countChanges(changes);
    const told = /^(\d+) breaking/.exec(changesSummary(changes))?.[1] ?? "0";
    t.equal(Number(told), breaking);
  }
  t.end();
});
