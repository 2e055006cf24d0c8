import t from "tap";
import type { TestResult } from "../../../../machines/model/test_result.ts";
import { rowsShown } from "../../../../src/tools/limit_items.ts";
import { resultsData, resultsText, resultText } from "../../../../src/tools/text/results_text.ts";
import type { TestStatus } from "../../../../machines/model/verdict.ts";

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
  t.equal(
    text,
    "1000 tests: 900 passed, 100 failed, 10 ms\n✗ 100 tests [failed]: message 9\n    t9, t19, t29, t39, … 96 more",
  );
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
  const text = (message: string) => resultText({ ...result(1, "failed"), message, stderrTail });
  t.match(text("wrong output"), /wrong output\n {4}stderr:\n {4}Traceback\n {6}line 1\n {4}ValueError: x$/m);
  t.notMatch(
    text("it exited with 1\n  stderr:\n    Traceback\n    ValueError: x"),
    /ValueError[^]*ValueError/,
  );
  t.end();
});

t.test("failures with one error are one entry, whatever tool, call or assertion told it", (t) => {
  const failed = (id: string, tool: string, message: string): TestResult => ({
    ...result(1, "failed"),
    id,
    tool,
    category: "runtime-exception",
    message,
  });
  const skipped = { ...result(2, "skipped"), id: "e", tool: "net", note: "refused: needs a fixture: no net" };
  const results = [
    failed(
      "a",
      "net",
      'net: success: expected success, got an error: "net 7 is gone"\n  called with: {"n":7}',
    ),
    failed(
      "b",
      "gross",
      'gross: success: expected success, got an error: "gross 8 is gone"\n  called with: {}',
    ),
    failed(
      "c",
      "net",
      'net: well_behaved: answered with an error that its code did not foresee: "net 9 is gone"',
    ),
    failed("d", "net", "net: output_equals: output is not the text expected\n  expected: 1"),
    skipped,
    { ...skipped, id: "f", tool: "gross", note: "refused: needs a fixture: no gross" },
  ];
  t.equal(
    resultsText({
      summary: { total: 6, passed: 0, failed: 4, skipped: 2, flaky: 0, durationMs: 5 },
      results,
    }),
    [
      "6 tests: 4 failed, 2 skipped, 5 ms",
      '✗ 3 tests [runtime-exception]: success: expected success, got an error: "net 7 is gone"',
      "    a, b, c; the first:",
      '      called with: {"n":7}',
      "✗ d [runtime-exception]",
      "    net: output_equals: output is not the text expected",
      "      expected: 1",
      "- 2 skipped: refused: needs a fixture: no net: e, f",
    ].join("\n"),
  );
  t.end();
});

t.test("a flaky test is told apart from failures with the same words", (t) => {
  const [one, other] = [result(1, "failed"), result(2, "flaky")];
  const text = resultsText({ summary, results: [{ ...one, message: "m" }, { ...other, message: "m" }] });
  t.match(text, /✗ t1\n {4}m\n~ t2\n {4}m$/);
  t.end();
});

t.test("what a result leaves out is told with the call that has it", (t) => {
  const long = { ...result(1, "failed"), message: "it broke\n".repeat(40), stderrTail: "said\n".repeat(40) };
  const text = resultText(long);
  t.match(text, /… 25 lines; all of it: pth_get_test_results\(\{ detail: true \}\)\n/);
  t.notMatch(resultText(long, true), /…/);
  t.end();
});
