import t from "tap";
import type { ResultsVerdict } from "../../../../src/api/tests.ts";
import { resultsVerdict, summarizeSuite } from "../../../../src/testing/report/results_verdict.ts";
import type { TestStatus } from "../../../../machines/model/verdict.ts";

const stale = { results: 2, stale: 2, commit: "a".repeat(40), behind: 2 };
const table: [TestStatus[], { tests?: number; stale?: typeof stale }, ResultsVerdict["state"], RegExp][] = [
  [[], {}, "untested", /^No test was run\.$/],
  [[], { tests: 3 }, "untested", /^No test was run\.$/],
  [["passed", "passed"], {}, "passed", /^All tests pass: 2 of 2 passed\.$/],
  [["passed", "skipped"], {}, "passed", /^No test fails: 1 of 2 passed, 1 skipped\.$/],
  [["passed", "flaky"], {}, "passed", /^No test fails: 1 of 2 passed, 1 flaky\.$/],
  [["skipped", "skipped"], {}, "untested", /^No test passed or failed: all 2 were skipped\.$/],
  [["failed", "passed"], {}, "failed", /^1 of 2 tests fails\.$/],
  [["failed", "flaky"], {}, "failed", /^1 of 2 tests fails, 1 flaky\.$/],
  [
    ["passed", "passed"],
    { tests: 5 },
    "unknown",
    /^No test fails: 2 of 2 passed\. 3 tests without a result\.$/,
  ],
  [["passed", "passed"], { stale }, "unknown", /^2 of 2 tests passed when they ran\. .*a{10}, 2 fixes older/],
  [["failed", "passed"], { stale }, "failed", /^1 of 2 tests fails\. .*2 fixes older/],
];

t.test("only tests that passed with the code as it is are said to pass", (t) => {
  for (const [statuses, { tests = statuses.length, ...rest }, state, text] of table) {
    const summary = summarizeSuite(statuses.map((status) => ({ status })), 1);
    const verdict = resultsVerdict({ summary, tests, ...rest });
    t.equal(verdict.state, state, verdict.text);
    t.match(verdict.text, text);
    t.equal(
      /All tests pass/.test(verdict.text),
      state === "passed" && statuses.every((one) => one === "passed"),
    );
  }
  t.end();
});
