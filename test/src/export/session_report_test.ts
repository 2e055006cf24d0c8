import t from "tap";
import { beginIteration, draftOf } from "../../../machines/iteration/iteration_state.ts";
import type { TestStatusSummary } from "../../../machines/model/iteration.ts";
import { sessionReport } from "../../../src/export/report/session_report.ts";
import { report } from "../testing/reporters/recorded_run.ts";

const fix = {
  commit: "0123456789abcdef0123",
  title: "add the | missing check",
  body: "The divisor was\nnever looked at.",
  type: "fix",
  tests: ["divide - by zero\nis refused"],
  category: "wrong-output",
  files: ["src/divide.ts"],
  iteration: 2,
  at: "2026-01-01T00:00:00Z",
};

t.test("the report names what failed and why, and every fix under its category", (t) => {
  const reverted = { ...fix, commit: "f".repeat(40), title: "guess", revertedBy: "e".repeat(40) };
  const only = { ...fix, title: "for one", distro: "rocky9" };
  const text = sessionReport({
    report,
    history: [only, reverted, fix, { ...fix, type: "docs", title: "words" }],
  });
  const failed = report.results.filter(({ status }) => status === "failed");
  t.ok(failed.length > 0);
  for (const { name } of failed) t.match(text, `### ${name.replaceAll("<", "&lt;")}`);
  t.match(text, "### wrong-output\n\n- `0123456789ab` **add the \\| missing check**");
  t.match(text, "Tests: divide - by zero is refused");
  t.match(text, "### wrong-output (only rocky9)");
  t.match(text, "**guess** — reverted by eeeeeeeeeeee");
  t.notMatch(text, "**words**");
  t.end();
});

t.test("the way to green is a table, and the same facts give the same bytes", (t) => {
  const standing = (passed: number): TestStatusSummary => ({
    total: 10,
    passed,
    skipped: 0,
    failing: Array.from({ length: 10 - passed }, (_, index) => ({ id: `t${index}`, name: `test ${index}` })),
  });
  const iterations = [5, 9].map((passed, index) => ({
    ...draftOf({ ...beginIteration(index + 1, standing(index === 0 ? 3 : 5)), after: standing(passed) }),
    timings: { test: 120, reload: 40 },
    at: "2026-01-01T00:00:00.000Z",
    health: [],
  }));
  const text = sessionReport({ report, history: [], iterations });
  t.match(text, "| 1 | 5/10 | 5 | ██████████░░░░░░░░░░ |");
  t.equal(sessionReport({ report, history: [], iterations }), text);
  t.end();
});

t.test("of very many failures some are told one by one, and how many more there are", (t) => {
  const [failed] = report.results.filter(({ status }) => status === "failed");
  const results = Array.from(
    { length: 60 },
    (_, at) => ({ ...failed!, id: `f${at}`, name: `failure ${at}` }),
  );
  const text = sessionReport({ report: { ...report, results }, history: [] });
  t.match(text, "### failure 49");
  t.notMatch(text, "### failure 50");
  t.match(text, "… and 10 more that fail.");
  t.end();
});

t.test("a session in which nothing ran says so", (t) => {
  const { environment: _none, plugin: _neither, ...rest } = report;
  const text = sessionReport({
    report: { ...rest, tests: [], results: [], findings: [], timings: {} },
    history: [],
  });
  t.match(text, "No test was run.");
  t.match(text, "## Fixes\n\nNone.");
  t.end();
});
