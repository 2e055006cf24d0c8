import t from "tap";
import type { Convergence, TestStatusSummary } from "../../../machines/model/iteration.ts";
import type { FixRecord } from "../../../machines/model/fix.ts";
import {
  convergenceText,
  fixText,
  iterationReloadText,
  refusedText,
  riskOf,
  testingText,
} from "../../../src/fixers/iteration_texts.ts";

const standing = (more: Partial<TestStatusSummary> = {}): TestStatusSummary => ({
  total: 18,
  passed: 14,
  skipped: 0,
  failing: [],
  ...more,
});

const failing = [
  { id: "1", name: "create_user", category: "runtime-exception" as const },
  { id: "2", name: "enable_firewall", category: "wrong-output" as const },
  { id: "3", name: "get_disk_usage", category: "timeout" as const },
  { id: "4", name: "configure_ssh", category: "schema-violation" as const },
];

const fix: FixRecord = {
  commit: "abc",
  title: "Fixed undefined reference to `groupAdd` utility function",
  body: "",
  type: "fix",
  tests: [],
  files: ["src/tools/user-management.ts"],
  changed: { added: 4, removed: 2 },
  at: "2026-01-01T00:00:00Z",
};

t.test("the blocks read as the design shows them", (t) => {
  t.equal(
    testingText(5, standing({ failing }), { passed: 11, total: 18, iteration: 4 }),
    `── Iteration 5 ────────────────────────────
Phase: Testing
Tests: 14/18 passing (↑3 from iteration 4)
Failing: create_user (runtime exception), enable_firewall (wrong output),
         get_disk_usage (timeout), configure_ssh (schema violation)`,
  );
  t.equal(
    fixText(5, fix),
    `── Iteration 5 ────────────────────────────
Phase: Fix Applied
File: src/tools/user-management.ts
Change: Fixed undefined reference to \`groupAdd\` utility function
Risk: Low — single file, 4 lines changed`,
  );
  t.equal(
    iterationReloadText(5, {
      closed: [],
      tools: { added: [], removed: [], changed: [], total: 106 },
      build: { output: "", durationMs: 1240 },
    }),
    `── Iteration 5 ────────────────────────────
Phase: Reload
Plugin rebuilt successfully (1.2s)
MCP server restarted — 106 tools detected (no schema changes)`,
  );
  t.equal(
    convergenceText(
      {
        trend: "plateau",
        progress: [8, 11, 11, 14, 14],
        totals: [18, 18, 18, 18, 18],
        total: 18,
        stale: 1,
        reason: "same 4 tests failing for 2 iterations",
        suggestion: "The firewall and SSH failures may share a root cause in the privilege handling module.",
      },
      5,
    ),
    `── Convergence ─────────────────────────────
Iterations: 5
Progress: 8/18 → 11 → 11 → 14 → 14
Status: Possible plateau — same 4 tests failing for 2 iterations
Suggestion: The firewall and SSH failures may share a root cause in the
            privilege handling module.`,
  );
  t.end();
});

t.test("arrows point the way the figures went", (t) => {
  const line = (passed: number, before: number, iteration: number) =>
    testingText(2, standing({ passed, total: passed }), { passed: before, total: passed, iteration }).split(
      "\n",
    )[2];
  t.equal(line(9, 11, 1), "Tests: 9/9 passing (↓2 from iteration 1)");
  t.equal(line(11, 11, 1), "Tests: 11/11 passing (no change from iteration 1)");
  t.equal(line(18, 8, 0), "Tests: 18/18 passing (↑10 from the start)");
  t.equal(testingText(1, standing({ skipped: 4 })).split("\n")[2], "Tests: 14/18 passing, 4 skipped");
  t.end();
});

t.test("figures are told with the number of tests that there were then", (t) => {
  const convergence = {
    trend: "plateau",
    progress: [42, 51, 51, 42],
    totals: [49, 58, 58, 49],
    total: 49,
  } as const;
  const told = { ...convergence, progress: [...convergence.progress], totals: [...convergence.totals] };
  t.match(convergenceText({ ...told, stale: 0, reason: "" }, 3), "Progress: 42/49 → 51/58 → 51 → 42/49\n");
  const earlier = { passed: 42, total: 49, iteration: 1 };
  t.match(
    testingText(2, standing({ passed: 51, total: 58, failing: [] }), earlier),
    "51/58 passing, 7 not run (↑9 from iteration 1, 49 tests then)",
  );
  const open = { total: 10, passed: 8, flaky: 2, skipped: 1, stale: 5, failing: [] };
  t.match(
    testingText(2, open).replace(/\n +/, " "),
    "8/10 passing, 2 of them flaky, 1 skipped, 1 not run, 5 not run since the latest fix",
  );
  t.end();
});

t.test("every trend has its word", (t) => {
  const convergence: Convergence = {
    trend: "untested",
    progress: [],
    totals: [],
    total: 0,
    stale: 0,
    reason: "why",
  };
  for (
    const [trend, word] of [
      ["untested", "Untested — why"],
      ["green", "No test fails — why"],
      ["improving", "Improving — why"],
      ["plateau", "Possible plateau — why"],
      ["oscillating", "Oscillating — why"],
      ["regressing", "Regressing — why"],
    ] as const
  ) {
    t.match(convergenceText({ ...convergence, trend }, 0), `Status: ${word}`);
  }
  t.notMatch(convergenceText(convergence, 0), "Progress");
  const all: Convergence = { ...convergence, trend: "green", progress: [1, 3], totals: [3, 3], total: 3 };
  t.match(convergenceText(all, 1), "Status: All tests pass — why");
  t.match(convergenceText({ ...all, progress: [1, 2] }, 1), "Status: No test fails — why", "one was skipped");
  t.end();
});

t.test("a long history tells its beginning and its end", (t) => {
  const progress = Array.from({ length: 30 }, (_, index) => index);
  const totals = progress.map(() => 40);
  const text = convergenceText({ trend: "improving", progress, totals, total: 40, stale: 0, reason: "" }, 29);
  t.match(text, "Progress: 0/40 → … → 21 → ");
  t.match(text, "→ 29\n");
  t.end();
});

t.test("tests that were not chosen are told apart from those that passed", (t) => {
  const text = testingText(1, { total: 9, passed: 3, skipped: 1, failing: [] });
  t.match(text, "Tests: 3/9 passing, 1 skipped, 5 not run");
  t.end();
});

t.test("a plugin that does not load is told instead of figures", (t) => {
  const output = Array.from({ length: 20 }, (_, index) => `line ${index}`).join("\n");
  const text = testingText(1, standing({ loadError: `Cannot build plugin: exited with 2\n${output}` }));
  t.match(text, "Tests: none ran: the plugin does not load\nError: Cannot build plugin: exited with 2\n");
  t.match(text, "2\n        line 12\n", "the end of the output");
  t.match(text, "        line 19");
  const thrown = `Error: no file x\n${
    "    at Module.load (node:internal/loader:1207:15)\n".repeat(20)
  }}\n\nNode.js v20.1.0\n`;
  const failed = testingText(1, standing({ loadError: `Cannot start plugin\n${thrown}` }));
  t.match(
    failed,
    /Cannot start plugin\n {8}Error: no file x$/,
    "frames of a stack do not hide the error",
  );
  t.end();
});

t.test("nothing is wider than a terminal, and nothing repaints it", (t) => {
  const name = `evil\x1b[2J\n${"x".repeat(200)}`;
  const many = Array.from(
    { length: 40 },
    (_, id) => ({ id: String(id), name, category: "timeout" as const }),
  );
  const texts = [
    testingText(1, standing({ failing: many })),
    refusedText(1, name, `${name}\nstderr ${"y".repeat(200)}\n\nlast`),
    fixText(1, { ...fix, title: name, files: ["a", "b"] }),
  ];
  for (const text of texts) {
    t.notMatch(text, "\x1b");
    for (const line of text.split("\n")) t.ok(line.length <= 80, line);
  }
  t.match(texts[0], "and 28 more");
  t.match(texts[1], "        last");
  t.end();
});

t.test("the reach of a fix is read from its files and lines", (t) => {
  const risk = (files: string[], lines?: number) =>
    riskOf({ files, ...(lines === undefined ? {} : { changed: { added: lines, removed: 0 } }) });
  t.equal(risk(["a.ts"], 1), "Low — single file, 1 line changed");
  t.equal(risk(["a.ts"]), "Low — single file");
  t.equal(risk(["a.ts", "b.ts"], 5), "Medium — 2 files, 5 lines changed");
  t.equal(risk(["a.ts"], 100), "Medium — single file, 100 lines changed");
  t.match(risk(["package.json"], 1), /^Medium — .*installed or built changes \(package\.json\)/);
  t.match(risk(["sub/requirements-dev.txt"], 1), /^Medium/);
  t.match(risk(["my_package.json.ts"], 1), /^Low/);
  t.match(risk(["a", "b", "c", "d", "e", "f"], 6), /^High/);
  t.end();
});
