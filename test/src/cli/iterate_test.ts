import t from "tap";
import type {
  IterationOutcome,
  IterationRecord,
  TestStatusSummary,
} from "../../../machines/model/iteration.ts";
import { exportIteration } from "../../../src/cli/export_iteration.ts";
import { createPainter } from "../../../src/cli/iteration_reporter.ts";
import { runCli } from "../../../src/cli/main.ts";
import { PthError } from "../../../src/core/errors.ts";
import type { PublishedEvent } from "../../../src/api/harness.ts";
import { results } from "../testing/reporters/recorded_run.ts";
import { keptContext, type Script, scriptedHarness } from "./scripted_harness.ts";

const standing = (passed: number): TestStatusSummary => ({
  total: 4,
  passed,
  skipped: 0,
  failing: passed === 4 ? [] : [{ id: "add", name: "add", category: "wrong-output" }],
});

const green: IterationOutcome = {
  state: "green",
  iteration: 2,
  records: [],
  convergence: {
    trend: "green",
    progress: [3, 3, 4],
    totals: [4, 4, 4],
    total: 4,
    stale: 0,
    reason: "no test fails",
  },
  standing: standing(4),
  fixes: [{ commit: "c0ffee0000", title: "add", body: "", type: "fix", tests: [], files: ["a.ts"], at: "" }],
};

const record = (number: number, before: number, after: number): IterationRecord => ({
  number,
  at: "2026-01-01T00:00:00.000Z",
  before: standing(before),
  after: standing(after),
  mended: [],
  broken: [],
  groups: [],
  fixes: [],
  refused: [],
  newTests: 0,
  health: [],
  timings: {},
});

async function play(args: readonly string[], script: Script = {}) {
  const played = scriptedHarness({ outcome: green, ...script });
  const kept = keptContext(played, { variables: { TOKEN: "s3cret-value" } });
  const code = await runCli(["iterate", ...args], kept.context);
  const called = (name: string) => played.calls.find((call) => call.name === name)?.args;
  return { code, called, names: played.calls.map(({ name }) => name), kept };
}

t.test("options reach the requests that they are meant for", async (t) => {
  const options = [
    "--fixer",
    " mend it ",
    "--fixer-timeout",
    "5",
    "--max-iterations",
    "7",
    "--patience",
    "2",
  ];
  const more = [
    "--scope",
    "failing",
    "--workers",
    "2",
    "--timeout",
    "4",
    "--strict",
    "--env",
    "host",
    "--force",
  ];
  const { code, called, names } = await play([".", ...options, ...more, "--secret", "TOKEN"]);
  t.equal(code, 0);
  t.strictSame(called("iterate"), [{
    fixer: "mend it",
    fixerTimeoutSeconds: 5,
    maxIterations: 7,
    patience: 2,
    scope: "failing",
    suite: { workers: 2, timeoutSeconds: 4, strict: true },
    generate: true,
  }]);
  t.match(called("startSession"), [{ target: ".", secrets: { TOKEN: "s3cret-value" } }, {
    mode: "session",
    force: true,
  }]);
  t.match(called("provision"), [{ runtime: "host" }]);
  t.notOk(names.includes("load"), "the loop loads the plugin, also one that does not load");
});

t.test("without them the design's defaults hold", async (t) => {
  const { called } = await play([".", "--fixer", "x"]);
  t.strictSame(called("iterate"), [{
    fixer: "x",
    maxIterations: 10,
    patience: 3,
    suite: {},
    generate: true,
  }]);
});

t.test("still failing is exit 1, with the reason why it stopped", async (t) => {
  for (
    const [reason, said] of [
      ["max_iterations", "--max-iterations"],
      ["no_progress", "no progress"],
    ] as const
  ) {
    const outcome: IterationOutcome = { ...green, state: "stopped", reason, standing: standing(3) };
    const { code, kept } = await play([".", "--fixer", "x"], { outcome });
    t.equal(code, 1);
    t.match(kept.stdout(), `Stopped after 1 fix in 0 iterations, 1 test still failing: `);
    t.match(kept.stdout(), said);
  }
});

t.test("--verify-clean: green counts once it is so in a new environment, too", async (t) => {
  const clean = {
    summary: { total: 1, passed: 1, failed: 0, skipped: 0, flaky: 0, durationMs: 1 },
    onlyDirty: [],
    onlyClean: [],
    failed: [],
    compared: 1,
  };
  const good = await play([".", "--fixer", "x", "--verify-clean"], { clean });
  t.equal(good.code, 0);
  t.match(good.kept.stdout(), "Verified in a new environment: 1 test passed.");

  const failure = { ...results[0]!, id: "add", name: "adds", status: "failed" as const };
  const bad = await play([".", "--fixer", "x", "--verify-clean"], {
    clean: {
      ...clean,
      drift: {
        drifted: true,
        changes: [
          { group: "package", change: "added", name: "npm:left-pad" },
          { group: "port", change: "added", name: "tcp/80", byLoad: true },
        ],
      },
      failed: [failure, { ...failure, id: "sub", name: "subtracts" }],
      onlyDirty: [failure],
    },
  });
  t.equal(bad.code, 1);
  t.match(
    bad.kept.stdout(),
    "In a new environment 2 tests failed.\n  Passed only in the environment that was used for fixing:\n    adds\n" +
      "  Differences from a new environment:\n    package npm:left-pad added\n  Failed:\n    subtracts\n",
  );
  t.notOk(
    (await play([".", "--fixer", "x"], { clean })).names.includes("verifyClean"),
    "only where it is asked for",
  );
  const stopped: IterationOutcome = {
    ...green,
    state: "stopped",
    reason: "no_progress",
    standing: standing(3),
  };
  const { names } = await play([".", "--fixer", "x", "--verify-clean"], { outcome: stopped, clean });
  t.notOk(names.includes("verifyClean"), "what is not green need not be verified");
});

t.test("fixes of an iteration that was cut short count", async (t) => {
  const outcome: IterationOutcome = {
    ...green,
    state: "stopped",
    reason: "cancelled",
    standing: standing(3),
    fixes: [],
  };
  const { kept } = await play([".", "--fixer", "x"], {
    outcome,
    iterationFacts: [{ type: "fix.committed", iteration: 1, fix: green.fixes[0]! }],
  });
  t.match(kept.stdout(), "Stopped after 1 fix in 0 iterations, 1 test still failing: it was cancelled.");
});

t.test("where no test has run, nothing is said of failing ones", async (t) => {
  const outcome: IterationOutcome = {
    ...green,
    state: "stopped",
    reason: "cancelled",
    standing: { total: 0, passed: 0, skipped: 0, failing: [] },
    fixes: [],
  };
  const { kept } = await play([".", "--fixer", "x"], { outcome });
  t.match(kept.stdout(), "Stopped after 0 fixes in 0 iterations, no test has run: it was cancelled.");
});

t.test("the session ends however the loop does", async (t) => {
  const failing = await play([".", "--fixer", "x"], {
    failAt: "iterate",
    error: new PthError("ENVIRONMENT_LOST", "Cannot run tests: the environment is gone", {
      next: [
        { mcp: "Use a new environment: pth_reprovision_environment({})" },
        "See whether the engine runs: docker info",
      ],
    }),
  });
  t.match(failing.kept.stderr(), "Next:\n    - See whether the engine runs: docker info");
  t.notMatch(failing.kept.stderr(), "pth_", "tools of the MCP server are no way out in a terminal");
  t.equal(failing.code, 3);
  t.ok(failing.names.includes("endSession"));
  const early = await play([".", "--fixer", "x"], { failAt: "startSession" });
  t.equal(early.code, 3);
});

t.test("each iteration is told in blocks, the convergence between them", async (t) => {
  const iterationFacts: PublishedEvent[] = [
    { type: "iteration.phase", iteration: 1, phase: "diagnosing" },
    { type: "fix.refused", iteration: 1, title: "add", reason: "`find` occurs 0 times" },
    {
      type: "iteration.recorded",
      record: record(1, 3, 3),
      convergence: {
        trend: "plateau",
        progress: [3, 3],
        totals: [4, 4],
        total: 4,
        stale: 1,
        reason: "same test failing",
      },
    },
    { type: "iteration.phase", iteration: 2, phase: "diagnosing" },
    { type: "fix.committed", iteration: 2, fix: green.fixes[0]! },
    {
      type: "plugin.reloaded",
      reload: { closed: [], tools: { added: ["x"], removed: [], changed: [], total: 3 } },
    },
    { type: "iteration.recorded", record: record(2, 3, 4), convergence: green.convergence },
  ];
  const { kept } = await play([".", "--fixer", "x"], { iterationFacts });
  const blocks = kept.stdout().match(/^(── .+? ─|Phase: .+|Status: .+|Tests: .+)/gm);
  t.strictSame(blocks, [
    "── Iteration 1 ─",
    "Phase: Testing",
    "Tests: 4/4 passing",
    "── Iteration 1 ─",
    "Phase: No Fix",
    "── Iteration 1 ─",
    "Phase: Testing",
    "Tests: 3/4 passing (no change from the start)",
    "── Convergence ─",
    "Status: Possible plateau — same test failing",
    "── Iteration 2 ─",
    "Phase: Fix Applied",
    "── Iteration 2 ─",
    "Phase: Reload",
    "── Iteration 2 ─",
    "Phase: Testing",
    "Tests: 4/4 passing (↑1 from iteration 1)",
    "── Convergence ─",
    "Status: All tests pass — no test fails",
  ]);
  t.match(kept.stdout(), "3 tools detected (added: x)");
});

t.test("a session is resumed with what it had, or with what is asked for", async (t) => {
  const asBefore = await play(["--resume", "pth/x", "--fixer", "x"]);
  t.equal(asBefore.code, 0, asBefore.kept.stderr());
  t.strictSame(asBefore.called("resumeSession"), [{ branch: "pth/x", provision: true }, { force: false }]);
  t.notOk(asBefore.names.includes("provision"));
  const other = await play(["--resume", "pth/x", "--fixer", "x", "--env", "host", "--var", "A=1"]);
  t.match(other.called("resumeSession"), [{ provision: false }]);
  t.match(other.kept.stdout(), "Resuming: 0 fixes on the branch, no iteration was completed\n");
  t.match(other.called("provision"), [{ runtime: "host" }]);
  t.strictSame(other.called("load"), [{ configValues: { A: "1" } }]);
});

t.test("the end tells of branch, fixes and files, and how to merge", (t) => {
  const ended = {
    branch: "pth/demo-1",
    branchKept: true,
    commits: 3,
    repository: "/home/me/my plugins/demo",
    report: ".pth/SESSION-REPORT.md",
    kept: [],
    leftBehind: ["/tmp/x: busy"],
  };
  const facts = {
    base: "0123456789abcdef",
    files: [{ path: "a.ts", added: 3, removed: 1 }, { path: "b.png" }, {
      path: "new.ts",
      from: "old.ts",
      added: 0,
      removed: 0,
    }],
    fixes: green.fixes,
  };
  t.equal(
    exportIteration(ended, facts, true),
    `Branch pth/demo-1: 3 commits
  c0ffee0000 add
Files:
  a.ts (+3 −1)
  b.png (binary)
  old.ts → new.ts (+0 −0)
Report: .pth/SESSION-REPORT.md on the branch
To review it, and to merge it:
  git -C '/home/me/my plugins/demo' diff 0123456789...pth/demo-1
  git -C '/home/me/my plugins/demo' show pth/demo-1:.pth/SESSION-REPORT.md
  git -C '/home/me/my plugins/demo' merge pth/demo-1
Could not remove:
  /tmp/x: busy
`,
  );
  const open = exportIteration(ended, facts, false);
  t.match(open, "(tests still fail: review before you merge it):");
  t.match(open, `pth iterate '/home/me/my plugins/demo' --fixer "…" --resume pth/demo-1\n`);
  const bare = exportIteration({ ...ended, repository: "/home/me/.pth/repositories/x.git" }, facts, true);
  t.match(bare, "and to clone it:");
  t.match(bare, "  git clone --branch pth/demo-1 /home/me/.pth/repositories/x.git\n");
  t.notMatch(bare, "merge pth");
  const none = exportIteration({ branchKept: false, commits: 0, kept: [], leftBehind: [] }, {
    files: [],
    fixes: [],
  }, false);
  t.equal(none, "No branch: nothing was committed.\n");
  t.end();
});

t.test("colours are for terminals: arrows, headings and trends", (t) => {
  const text = "── Convergence ─────\nStatus: Regressing — x\nTests: 1 (↑2 from a) (↓3 from b)";
  t.equal(createPainter(false)(text), text);
  const painted = createPainter(true)(text);
  // deno-lint-ignore no-control-regex -- colours are what this is about
  t.equal(painted.replaceAll(/\u001b\[\d+m/g, ""), text);
  for (const piece of ["\u001b[32m↑2", "\u001b[31m↓3", "\u001b[31mRegressing", "\u001b[1mConvergence"]) {
    t.match(painted, piece);
  }
  t.end();
});
