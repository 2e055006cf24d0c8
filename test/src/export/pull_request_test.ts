import t from "tap";
import { beginIteration, draftOf } from "../../../machines/iteration/iteration_state.ts";
import type { FixRecord } from "../../../machines/model/fix.ts";
import type { IterationRecord } from "../../../machines/model/iteration.ts";
import { pullRequest, pullRequestText } from "../../../src/export/report/pull_request.ts";
import { report } from "../testing/reporters/recorded_run.ts";

const fix = (title: string, more: Partial<FixRecord> = {}): FixRecord => ({
  commit: "0123456789abcdef0123",
  title,
  body: "",
  type: "fix",
  tests: ["divide - by zero", "divide - by | pipe"],
  category: "wrong-output",
  files: ["src/divide.ts"],
  at: "2026-01-01T00:00:00Z",
  ...more,
});

const iteration: IterationRecord = {
  ...draftOf({
    ...beginIteration(1, { total: 4, passed: 1, skipped: 0, failing: [] }),
    after: { total: 4, passed: 4, skipped: 0, failing: [] },
  }),
  timings: {},
  at: "2026-01-01T00:00:00.000Z",
  health: [],
};

t.test("the text tells the fixes that stand, oldest first, and how the tests went", (t) => {
  const history = [
    fix("newer", { tests: [] }),
    fix("guess", { revertedBy: "f".repeat(40) }),
    fix("older"),
    fix("for CI", { type: "tests", title: "export for CI" }),
  ];
  const { title, body } = pullRequest({ report, history, iterations: [iteration] });
  t.equal(title, `Fix 2 faults of ${report.source.name}`);
  t.match(
    body,
    /\*\*older\*\* — wrong-output; `src\/divide\.ts`; for "divide - by zero" and 1 more\n.*\*\*newer\*\*/,
  );
  t.match(body, "- before: 1 of 4 passed");
  t.match(body, "- tried and reverted: guess");
  t.match(body, "- export for CI");
  const failed = report.results.filter(({ status }) => status === "failed");
  t.match(body, "## Still failing");
  t.equal(body.split("\n## Still failing\n\n")[1]!.split("\n\n")[0]!.split("\n").length, failed.length);
  t.equal(pullRequestText({ title, body }), `# ${title}\n\n${body}`);
  t.end();
});

t.test("one fix gives its own title, cut to a line that git hosts show whole", (t) => {
  const { title } = pullRequest({
    report,
    history: [fix(`handle\n${"very ".repeat(30)}long`)],
    iterations: [],
  });
  t.match(title, /^Fix: handle very/);
  t.equal(title.length, 72);
  t.end();
});

t.test("a session without a fix says so", (t) => {
  const { title, body } = pullRequest({ report, history: [], iterations: [] });
  t.equal(title, `Add a test suite to ${report.source.name}`);
  t.match(body, "No fix was needed or made.");
  t.notMatch(body, "## Fixes");
  t.end();
});
