import t from "tap";
import type { TestCase } from "../../../machines/model/test_case.ts";
import type { TestResult } from "../../../machines/model/test_result.ts";
import type { PublishedEvent } from "../../../src/api/harness.ts";
import { toReport } from "../../../src/testing/report/report.ts";
import { runOfReport } from "../../../src/testing/report/run_of_report.ts";
import { registry } from "../../../src/testing/reporters/_registry.ts";
import { finished, tests, written } from "./reporters/recorded_run.ts";

const own = {
  framework: "node:test",
  suite: "test/sum.test.js",
  test: "adds",
  rerun: "node --test sum.test.js",
};
const test: TestCase = {
  ...tests[0]!,
  id: "own:test-sum-test-js-adds",
  name: "adds",
  generatedFrom: "manual",
  own,
  file: "test/sum.test.js",
  line: 4,
};
delete test.tool;
const result: TestResult = {
  id: test.id,
  name: test.name,
  tier: 1,
  own,
  generatedFrom: "manual",
  status: "failed",
  category: "wrong-output",
  message: "Expected values to be strictly equal",
  findings: [],
  durationMs: 2,
  startedAt: 0,
  file: "test/sum.test.js",
  line: 4,
  stderrTail: "said by the test",
};
const facts: PublishedEvent[] = [
  { type: "suite.started", tests: [test], workers: 0, workersReason: "by node:test", own: true },
  { type: "test.finished", test, result },
];
const run = { ...finished, report: { ...finished.report!, tests: [], results: [result] } };

t.test("every reporter tells of a failed own test, with its place", (t) => {
  for (const reporter of registry) {
    const text = written(reporter, facts, run, { columns: 200 });
    t.match(text, "adds", reporter.name);
    t.match(text, "Expected values to be strictly equal", reporter.name);
    if (reporter.name !== "markdown") t.match(text, /sum\.test\.js/, reporter.name);
  }
  const [spec, junit, tap] = ["spec", "junit", "tap"].map((name) =>
    written(registry.find((reporter) => reporter.name === name)!, facts, run, { columns: 200 })
  );
  t.match(spec, /1 own test: by node:test\n[^]*\nown tests: test\/sum\.test\.js\n {2}✗ adds/);
  t.match(spec, /its output:\n {7}said by the test[^]*alone: node --test sum\.test\.js/);
  t.match(junit, `<testsuite name="own tests: test/sum.test.js"`);
  t.match(junit, `file="test/sum.test.js" line="4"`);
  t.match(tap, /not ok 1 - adds[^]*1\.\.1\n$/);
  t.end();
});

t.test("a report that is read back knows own tests", (t) => {
  const report = toReport(run);
  t.match(report.tests, [{ own, name: "adds", file: "test/sum.test.js", line: 4 }]);
  t.same(toReport(runOfReport(report)).tests, report.tests);
  t.end();
});
