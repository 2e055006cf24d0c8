import t from "tap";
import type { RunReport } from "../../../machines/model/session.ts";
import type { TestResult } from "../../../machines/model/test_result.ts";
import { PthError } from "../../../src/core/errors.ts";
import { checkedWhere, combineRuns } from "../../../src/matrix/combine_runs.ts";
import { entryOf } from "../../../src/matrix/matrix_entries.ts";
import { toReport } from "../../../src/testing/report/report.ts";
import { runOfReport } from "../../../src/testing/report/run_of_report.ts";
import { reportSchema } from "../../../src/testing/report/report_schema.ts";
import { htmlDocument } from "../../../src/testing/reporters/html/document.ts";
import { junit } from "../../../src/testing/reporters/junit.ts";
import { summaryMarkdown } from "../../../src/testing/reporters/markdown/summary.ts";

const result = (status: "passed" | "failed"): TestResult => ({
  id: "greet",
  name: "greet - by <name>",
  tier: 1,
  tool: "greet",
  generatedFrom: "manual",
  status,
  findings: [],
  durationMs: 5,
  startedAt: 0,
  ...(status === "failed" ? { message: "greet broke" } : {}),
});

const report = (status: "passed" | "failed"): RunReport => ({
  source: { sessionId: "s", name: "p", source: "/p", worktree: "/w", subfolder: "", notes: [] },
  tests: [],
  results: [result(status)],
  findings: [],
  summary: {
    total: 1,
    passed: status === "passed" ? 1 : 0,
    failed: status === "failed" ? 1 : 0,
    skipped: 0,
    flaky: 0,
    durationMs: 5,
  },
  timings: { suite_ms: status === "passed" ? 5 : 9 },
});

const broken = new PthError("RUNTIME_UNAVAILABLE", "Cannot use docker: no image", {
  next: ["pth images build x"],
});
const combined = combineRuns([
  { entry: entryOf({ image: "debian12" }), report: report("passed"), durationMs: 10 },
  { entry: entryOf({ image: "debian13" }), report: report("failed"), durationMs: 20 },
  { entry: entryOf({ image: "fedora" }), error: broken, durationMs: 1 },
], 25)!;
const finished = {
  target: "/p",
  report: combined,
  notes: [],
  exitCode: 3,
  startedAt: 0,
  durationMs: 25,
  strict: false,
  files: [],
};
const published = toReport(finished);

t.test("a test stands once for each environment, and the counts are of all", (t) => {
  t.same(combined.results.map(({ id, name, entry }) => [id, name, entry]), [
    ["greet@debian12", "greet - by <name> [debian12]", "debian12"],
    ["greet@debian13", "greet - by <name> [debian13]", "debian13"],
  ]);
  t.match(combined.summary, { total: 2, passed: 1, failed: 1, durationMs: 25 });
  t.equal(combined.timings.suite_ms, 9, "they ran side by side");
  t.same(combined.matrix?.entries.map(({ name, state }) => [name, state]), [
    ["debian12", "passed"],
    ["debian13", "failed"],
    ["fedora", "broken"],
  ]);
  t.end();
});

t.test("a run that was elsewhere than its entry says is none of that entry", (t) => {
  const handle = {
    environmentId: "s-e1",
    sessionId: "s",
    runtime: "docker",
    tier: 1 as const,
    image: "pth-base-debian12",
    sourcePath: "/p",
    state: {},
  };
  const environment = { handle, state: { os: "Debian 12" } } as unknown as NonNullable<
    RunReport["environment"]
  >;
  const run = (image: string) =>
    checkedWhere({ entry: entryOf({ image }), report: { ...report("passed"), environment }, durationMs: 1 });
  const [right, wrong] = combineRuns([run("debian12"), run("debian13")], 2)!.matrix!.entries;
  t.match(right, {
    state: "passed",
    environment: { id: "s-e1", runtime: "docker", image: "pth-base-debian12" },
  });
  t.match(wrong, { state: "broken", error: { message: /ran on image pth-base-debian12, not on debian13/ } });
  t.equal(wrong?.summary, undefined);
  const nowhere = checkedWhere({
    entry: entryOf({ image: "debian12" }),
    report: report("passed"),
    durationMs: 1,
  });
  t.match(nowhere, { report: undefined, error: { code: "PROVISION_FAILED" } });
  t.end();
});

t.test("where no session came to be there is nothing to combine", (t) => {
  t.equal(combineRuns([{ entry: entryOf({ image: "fedora" }), error: broken, durationMs: 1 }], 1), undefined);
  t.end();
});

t.test("the published report has the matrix, and can be read back", (t) => {
  t.same(reportSchema.parse(published), published);
  t.same(toReport(runOfReport(published)).matrix, published.matrix);
  t.match(published.matrix, {
    entries: [{}, {}, { state: "broken", error: { next: ["pth images build x"] } }],
    differences: [{ fails_on: ["debian13"], everywhere: false }],
  });
  t.end();
});

t.test("every report for people has it, with hostile names escaped", (t) => {
  t.match(summaryMarkdown(published), "Matrix: 1 test fails only on debian13; not tested: fedora");
  const html = htmlDocument(published);
  t.match(html, '<section id="matrix">');
  t.notMatch(html, "by <name>");
  const xml = junit(finished);
  t.match(xml, '<testsuite name="greet [debian13]"');
  t.notMatch(xml, "by <name>");
  t.end();
});
