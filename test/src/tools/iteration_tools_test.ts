import t from "tap";
import type { Diagnosis } from "../../../machines/model/diagnosis.ts";
import type {
  IterationOutcome,
  IterationRecord,
  IterationRun,
  TestStatusSummary,
} from "../../../machines/model/iteration.ts";
import type { TestCase } from "../../../machines/model/test_case.ts";
import type { IterationStatus } from "../../../src/api/harness.ts";
import getStatus from "../../../src/tools/iteration/get_iteration_status.ts";
import runIteration from "../../../src/tools/iteration/run_iteration.ts";
import runLoop from "../../../src/tools/iteration/run_iteration_loop.ts";
import { toolContext } from "./tool_context.ts";
import { scriptedHarness, type ScriptedSession } from "../server/scripted_harness.ts";

const standing = (passed: number, names: string[]): TestStatusSummary => ({
  total: 4,
  passed,
  skipped: 0,
  failing: names.map((name) => ({ id: name, name, category: "wrong-output" })),
});

const record = (
  number: number,
  before: TestStatusSummary,
  after: TestStatusSummary,
  more: Partial<IterationRecord> = {},
): IterationRecord => ({
  number,
  at: "2026-01-01T00:00:00.000Z",
  before,
  after,
  mended: [],
  broken: [],
  groups: [],
  fixes: [],
  refused: [],
  newTests: 0,
  health: [],
  timings: {},
  ...more,
});

const diagnosis: Diagnosis = {
  testId: "add",
  testName: "add: valid input",
  tool: "add",
  category: "wrong-output",
  evidence: ["the sum is wrong"],
  error: "expected 3",
  exchange: [],
  stderr: "",
  places: [{ path: "src/add.ts", line: 7 }],
  excerpts: [{ path: "src/add.ts", from: 6, text: "function add(a, b) {\n  return a - b;\n}" }],
  previousFixes: [],
  environment: { problems: [], processes: 1 },
};

const outcome = (more: Partial<IterationOutcome>): IterationOutcome => ({
  state: "green",
  iteration: 1,
  records: [],
  convergence: {
    trend: "green",
    progress: [3, 4],
    totals: [4, 4],
    total: 4,
    stale: 0,
    reason: "no test fails",
  },
  standing: standing(4, []),
  fixes: [],
  ...more,
});

const test: TestCase = {
  id: "",
  name: "",
  tier: 1,
  expect: {},
  verify: [],
  setup: [],
  teardown: [],
  tags: [],
  generatedFrom: "manual",
};

/** A context whose session answers `iterate` and keeps what it was asked. */
function context(answer: IterationOutcome, status?: IterationStatus) {
  const asked: IterationRun[] = [];
  const commands: ScriptedSession = {
    loop: {
      run: (run) => {
        asked.push(run);
        return Promise.resolve(answer);
      },
    },
    tests: {
      list: () => [{ ...test, id: "add", name: "add: valid input" }],
    },
    ...(status === undefined ? {} : {
      loop: {
        status: () => status,
      },
    }),
  };
  const harness = scriptedHarness({ commands });
  return { asked, ...toolContext(harness), harness };
}

t.test("without fixes it answers root causes with their source, and asks for fixes", async (t) => {
  const ctx = context(outcome({
    state: "awaiting_fixes",
    standing: standing(3, ["add: valid input"]),
    convergence: {
      trend: "untested",
      progress: [],
      totals: [],
      total: 4,
      stale: 0,
      reason: "no iteration has ended yet",
    },
    diagnosis: {
      groups: [{
        id: "g1",
        category: "wrong-output",
        cause: "add subtracts.",
        place: { path: "src/add.ts", line: 7 },
        testIds: ["add"],
      }],
      diagnoses: [diagnosis],
    },
  }));
  const asked = { workers: 2, strict: true, scope: "failing", ownTests: true } as const;
  const { text, data } = await runIteration.run(asked, ctx);
  t.strictSame(ctx.asked, [{ scope: "failing", suite: { workers: 2, strict: true, ownTests: {} } }]);
  t.match(text, "Tests: 3/4 passing\n\n1 failure, 1 root cause:");
  t.match(text, /^1\. wrong-output at src\/add\.ts:7\n {3}add subtracts\.\n {3}call: add\(\)\n/m);
  t.match(text, "return a - b;");
  t.match(text, "Next: pth_run_iteration({ fixes: [{ tests, category, title, edits }] })");
  t.notMatch(text, "Convergence");
  t.match(data, { state: "awaiting_fixes", diagnosis: { groups: [{ id: "g1" }] } });
});

t.test("with fixes it tells of each, of those refused, and of what got better", async (t) => {
  const fixes = [{ tests: ["add"], title: "add", edits: [{ path: "src/add.ts", find: "-", replace: "+" }] }];
  const made = { commit: "c0ffee", title: "add", files: ["src/add.ts"] };
  const ctx = context(outcome({
    records: [
      record(1, standing(3, ["add"]), standing(4, []), {
        fixes: [made],
        refused: [{ title: "other", reason: "Cannot apply fix: `find` occurs 0 times" }],
        tools: { added: ["sub"], removed: [], changed: [], total: 3 },
        newTests: 2,
        health: ["disk is nearly full"],
      }),
    ],
    fixes: [{ ...made, body: "", type: "fix", tests: [], changed: { added: 1, removed: 1 }, at: "" }],
  }));
  const { text } = await runIteration.run({ fixes }, ctx);
  t.strictSame(ctx.asked, [{ fixes }]);
  t.match(text, "Phase: Fix Applied\nFile: src/add.ts\nChange: add\nRisk: Low — single file, 1 line changed");
  t.match(text, /Phase: No Fix\nAbout: other\nReason: Cannot apply fix: `find` occurs 0 times/);
  t.match(text, "Tests: 4/4 passing (↑1 from the start)");
  t.match(text, "Tools: added sub");
  t.match(text, "Tests for new and changed tools: 2");
  t.notMatch(text, "Note:");
  const other = await runIteration.run(
    { fixes: [{ ...fixes[0]!, tests: ["add valid input", "load"] }] },
    ctx,
  );
  t.match(
    other.text,
    'no test of this session is called "add valid input" (did you mean "add: valid input"?);',
  );
  t.match(text, "Environment: disk is nearly full");
  t.match(text, "Progress: 3/4 → 4\nStatus: All tests pass");
  t.match(text, "Next: every test passes. pth_end_session({})");
});

t.test("the loop needs a fixer, and says the two ways without one", async (t) => {
  const ctx = context(outcome({}));
  await t.rejects(runLoop.run({ maxIterations: 10, patience: 3 }, ctx), {
    code: "INVALID_INPUT",
    context: { next: [/pth_run_iteration\(\{ fixes \}\)/, /pth_run_iteration_loop\(\{ fixer/] },
  });
  t.strictSame(ctx.asked, []);
});

t.test("a loop that stopped says why, and what may help", async (t) => {
  const records = [1, 2, 3, 4, 5].map((number) => record(number, standing(3, ["add"]), standing(3, ["add"])));
  const ctx = context(outcome({
    state: "stopped",
    reason: "no_progress",
    iteration: 5,
    records,
    standing: standing(3, ["add"]),
    convergence: {
      trend: "oscillating",
      progress: [3, 3, 3, 3, 3, 3],
      totals: [4, 4, 4, 4, 4, 4],
      total: 4,
      stale: 5,
      reason: "add came back",
    },
  }));
  const run = runLoop.input.parse({
    fixer: "mend",
    fixerTimeoutSeconds: 5,
    generate: false,
    timeoutSeconds: 3,
  });
  const { text, data } = await runLoop.run(run, ctx);
  t.strictSame(ctx.asked, [{
    fixer: "mend",
    fixerTimeoutSeconds: 5,
    maxIterations: 10,
    patience: 3,
    generate: false,
    suite: { timeoutSeconds: 3 },
  }]);
  t.match(text, "- iteration 3: 3 → 3 of 4 pass; 0 fixes\n- iteration 4:");
  t.match(text, "Tests: 3/4 passing (no change from iteration 4)");
  t.match(text, "Status: Oscillating — add came back");
  t.match(text, "Next: stopped, no progress.");
  t.match(text, "pth_revert_fix");
  t.equal((data.records as unknown[]).length, 5);
});

t.test("the status tells of each iteration, the trend and the causes, also while one is under way", async (t) => {
  const records = Array.from(
    { length: 20 },
    (_, index) => record(index + 1, standing(2, ["add", "sub"]), standing(3, ["add"]), { broken: ["div"] }),
  );
  const status: IterationStatus = {
    iteration: 21,
    phase: "retesting",
    records,
    convergence: {
      trend: "plateau",
      progress: [2, 3, 3],
      totals: [4, 4, 4],
      total: 4,
      stale: 2,
      reason: "same test failing for 2 iterations",
    },
    groups: [{
      id: "g",
      category: "timeout",
      cause: "waits for ever",
      place: { path: "a.ts", line: 3 },
      testIds: ["add"],
    }],
    timings: { build_ms: 1234 },
    operations: {
      build: { count: 1, lastMs: 1234, totalMs: 1234, longestMs: 1234 },
      reload: { count: 3, lastMs: 200, totalMs: 1500, longestMs: 900 },
    },
  };
  const short = await getStatus.run({}, context(outcome({}), status));
  t.match(short.text, "Now: iteration 21: retesting");
  t.match(short.text, "Status: Possible plateau");
  t.match(
    short.text,
    "… 12 iterations before; ask with detail: true\n- iteration 13: 2 → 3 of 4 pass; 0 fixes; broke div",
  );
  t.match(short.text, "- timeout at a.ts:3: waits for ever (1 test)");
  t.match(short.text, "Latest durations: build 1.2 s");
  t.equal((short.data.records as unknown[]).length, 15);
  const long = await getStatus.run({ detail: true }, context(outcome({}), status));
  t.equal((long.data.records as unknown[]).length, 20);
});

t.test("before the first iteration the status says how to begin", async (t) => {
  const convergence = {
    trend: "untested" as const,
    progress: [],
    totals: [],
    total: 0,
    stale: 0,
    reason: "no iteration has ended yet",
  };
  const status: IterationStatus = {
    iteration: 0,
    phase: "idle",
    records: [],
    convergence,
    groups: [],
    timings: {},
    operations: {},
  };
  const { text } = await getStatus.run({}, context(outcome({}), status));
  t.match(text, "Now: no iteration is running");
  t.match(text, "Next: pth_run_iteration({})");
});
