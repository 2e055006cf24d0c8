import t from "tap";
import type { TestResult, TestStatus } from "../../../machines/model/test_result.ts";
import { rowsShown } from "../../../src/tools/capped.ts";
import { resultsData, resultsText } from "../../../src/tools/results_text.ts";

const result = (at: number, status: TestStatus): TestResult => ({
  id: `t${at}`,
  name: `test ${at}`,
  tier: 1,
  generatedFrom: "schema",
  status,
  message: `message ${at}`,
  findings: [],
  durationMs: 1,
  startedAt: 0,
});

const many = Array.from({ length: 1000 }, (_, at) => result(at, at % 10 === 9 ? "failed" : "passed"));
const summary = { total: 1000, passed: 900, failed: 100, skipped: 0, flaky: 0, durationMs: 10 };

t.test("a thousand results make an answer that a model can read, failures first", (t) => {
  const data = resultsData({ summary, results: many }, false);
  t.equal(data.results.length, rowsShown);
  t.equal(data.leftOut, 800);
  t.match(data.results[99], { id: "t999", status: "failed", message: "message 999" });
  t.strictSame(data.results[100], { id: "t0", name: "test 0", status: "passed" });
  const text = resultsText({ summary, results: many });
  t.match(text, /^1000 tests: 900 passed, 100 failed, 10 ms\n✗ test 9 /);
  t.match(text, /… 85 more failures; ask with detail: true$/);
  t.ok(text.length < 5000);
  t.end();
});

t.test("with detail everything is there", (t) => {
  const data = resultsData({ summary, results: many }, true);
  t.equal(data.results.length, 1000);
  t.equal(data.leftOut, undefined);
  t.match(data.results[999], { message: /message/ });
  t.end();
});

t.test("a server's last words are told once", (t) => {
  const stderrTail = "Traceback\n  line 1\nValueError: x\n";
  const text = (message: string) =>
    resultsText({ summary, results: [{ ...result(1, "failed"), message, stderrTail }] });
  t.match(text("wrong output"), /wrong output\n {4}stderr:\n {4}Traceback\n {6}line 1\n {4}ValueError: x$/m);
  t.notMatch(
    text("it exited with 1\n  stderr:\n    Traceback\n    ValueError: x"),
    /ValueError[^]*ValueError/,
  );
  t.end();
});
