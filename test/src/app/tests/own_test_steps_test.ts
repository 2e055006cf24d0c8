import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import { createActor } from "xstate";
import { sessionMachine } from "../../../../machines/session_machine.ts";
import type { ProjectTest } from "../../../../machines/model/project_test.ts";
import type { ProjectTestAnswer } from "../../../../machines/model/project_test_run.ts";
import { failuresOf } from "../../../../src/app/fixes/failures_of.ts";
import { ownTestSteps } from "../../../../src/app/tests/own_test_steps.ts";
import { replaceTests } from "../../../../src/app/tests/replace_tests.ts";
import { testCommands } from "../../../../src/app/tests/test_commands.ts";
import { type SessionParts, testStores } from "../../../../src/app/session/session_parts.ts";
import { PthError } from "../../../../src/core/errors.ts";
import { diagnose } from "../../../../src/diagnosis/diagnose.ts";
import { statusesOf, summarizeTestStatus } from "../../../../src/fixers/summarize_test_status.ts";
import { textSources } from "../../../../src/plugin/plugin_sources.ts";
import { liveSession } from "../../actors/live.ts";
import { testOf } from "../../testing/observed.ts";

const runs = [{ projectRoot: "." }];

function session(): SessionParts {
  const { live } = liveSession();
  live.code.source = {
    sessionId: "s1",
    name: "p",
    source: "/p",
    worktree: "/w",
    subfolder: "",
    notes: [],
  };
  const context: SessionParts = {
    live,
    actor: createActor(sessionMachine, {
      input: { sessionId: "s1", target: {}, mode: "session", force: false },
    }),
    on: () => () => {},
    callers: new Map(),
    ...testStores(),
  };
  context.tests.all = [testOf({ id: "echo", name: "echo" })];
  return context;
}

const found = [
  { framework: "node:test", confidence: 95, reason: "package.json" },
  { framework: "pytest", confidence: 90, reason: "pytest.ini" },
  { framework: "generic", confidence: 1, reason: "a command" },
];

/** Own tests that ended so, as the session hears of them. */
async function ended(test: Pick<typeof t, "teardown">, context: SessionParts, tests: ProjectTest[]) {
  const folder = await mkdtemp(join(tmpdir(), "pth-own-"));
  test.teardown(() => rm(folder, { recursive: true }));
  const details = join(folder, "details.json");
  await writeFile(details, JSON.stringify({ tests, problems: [], found }));
  const of = (status: string) => tests.filter((each) => each.status === status).length;
  const answer: ProjectTestAnswer = {
    framework: "node:test",
    summary: { passed: of("passed"), failed: of("failed"), skipped: of("skipped"), duration_ms: 1 },
    details,
  };
  return await ownTestSteps.collect(context, { runs, ends: [{ answer }], reason: "complete" });
}

const passes: ProjectTest = { name: "passes", suite: "a.test.js", status: "passed" };
const adds: ProjectTest = {
  name: "adds",
  suite: "a.test.js",
  status: "failed",
  message: "Expected values to be strictly equal",
  place: { file: "a.test.js", line: 3 },
  stack: ["at TestContext.<anonymous> (a.test.js:3:10)"],
  output: "said\n",
};

t.test("own tests run where they are asked for, and later where one of them is chosen", async (t) => {
  const context = session();
  const { plan } = ownTestSteps;
  t.same(plan(context, {}), { suite: {} });
  t.same(plan(context, { ownTests: { level: "unit" }, grep: "x" }), {
    suite: { grep: "x" },
    runs: [{ projectRoot: ".", level: "unit" }],
  });
  t.match(plan(context, { ownTests: {}, ids: ["echo"] }), { runs }, "not known yet: they may be what is new");
  t.match(plan(context, { ownTests: {}, shard: { index: 1, of: 2 } }), { runs });
  t.match(plan(context, { ownTests: {}, shard: { index: 2, of: 2 } }), {
    run: undefined,
    notes: [/part 1 of 2/],
  });

  await ended(t, context, [passes, adds]);
  t.same(plan(context, { ownTests: {}, ids: ["echo"] }), { suite: { ids: ["echo"] } });
  t.same(plan(context, { ids: ["echo", "own:a-test-js-adds"] }), { suite: { ids: ["echo"] }, runs });
  t.same(plan(context, { ids: ["own:a-test-js-adds"] }), { suite: undefined, runs });
  t.same(plan(context, { status: "failed" }), { suite: undefined, runs });
  t.same(plan(context, { status: "flaky" }), { suite: { status: "flaky" } });
  t.same(plan(context, {}), { suite: {} });
});

t.test("each framework runs its tests, and what one of them misses is told of it alone", async (t) => {
  const context = session();
  const several = ownTestSteps.plan(context, { ownTests: { frameworks: ["pytest", "cargo"], level: "unit" } })
    .runs!;
  t.same(several.map(({ framework, level }) => [framework, level]), [["pytest", "unit"], ["cargo", "unit"]]);
  const answer = { framework: "pytest", summary: { passed: 2, failed: 0, skipped: 0, duration_ms: 1 } };
  const error = new PthError("TOOLCHAIN_MISSING", "Cannot run the tests: cargo needs cargo");
  const { followed } = await ownTestSteps.collect(context, {
    runs: several,
    ends: [{ answer }, { error }],
    reason: "complete",
  });
  t.match(followed.reason, "by pytest");
  t.match(followed.results, [{ status: "passed" }, { status: "failed", own: { framework: "cargo" } }]);
  t.equal(new Set(followed.results.map(({ id }) => id)).size, 2);
});

t.test("a loop goes on with the own tests that have run, unasked", async (t) => {
  const context = session();
  const looping = { ...context, actor: { getSnapshot: () => ({ matches: () => true }) } as never };
  t.same(ownTestSteps.plan(looping, {}), { suite: {} });
  await ended(t, context, [adds]);
  t.same(ownTestSteps.plan(looping, {}), { suite: {}, runs });
  t.same(ownTestSteps.plan(looping, { ids: ["echo"] }), { suite: { ids: ["echo"] } });
});

t.test("own tests are in the session's list and figures, and fail it", async (t) => {
  const context = session();
  const { followed, notes } = await ended(t, context, [passes, adds]);
  t.match(notes, [/^Own tests that did not run: those of pytest \(pytest\.ini\)\. /, /details\.json$/]);
  t.match(followed, { reason: "by node:test", results: [{ status: "passed" }, { status: "failed" }] });
  const commands = testCommands(context);
  t.match(commands.results(), {
    summary: { total: 2, failed: 1 },
    results: [{ name: "passes" }, { name: "adds", file: "/w/a.test.js", line: 3, stderrTail: /said/ }],
  });
  t.match(summarizeTestStatus(commands), { total: 3, failing: [{ id: "own:a-test-js-adds", name: "adds" }] });
  t.match(statusesOf(commands), { "own:a-test-js-passes": "passed", "own:a-test-js-adds": "failed" });
  t.same(commands.report().tests.map(({ id }) => id), ["echo"], "tests that PTH can run and write");

  replaceTests(context, context.tests.all);
  t.equal(commands.results().summary.failed, 1, "other tests come and go without them");
  await ended(t, context, [passes]);
  t.same(commands.results().results.map(({ name }) => name), ["passes"], "one that is gone is forgotten");
});

t.test("a failed own test is diagnosed with its place and what it printed", async (t) => {
  const context = session();
  await ended(t, context, [passes, adds]);
  const { failures } = failuresOf(context);
  const report = await diagnose({
    sources: textSources({
      "a.test.js": "import test\ntest('adds', () => {\n  assert.equal(sum(1, 1), 3);\n});\n",
      "sum.js": "export function sum(a, b) {\n  return plus(a, b);\n}\nfunction other() {}\n",
      "plus.js": "export const plus = (a, b) => a + b;\n",
    }),
    roots: ["/w"],
    failures: failures.map(({ test, result }) => ({
      test,
      result,
      evidence: context.live.evidence.failures.of(test.id)!,
    })),
    environment: { problems: [], processes: 1 },
    previousFixes: () => [],
  });
  t.match(report.groups, [{ category: "wrong-output", place: { path: "a.test.js", line: 3 } }]);
  t.match(report.diagnoses, [{ testName: "adds", error: /strictly equal/, stderr: /said/ }]);
  t.match(
    report.diagnoses[0]!.excerpts.map(({ path, text }) => [path, text]),
    [["a.test.js"], ["a.test.js"], ["sum.js", /^export function sum[^]*\}$/], ["plus.js", /plus/]],
    "with the functions that the test is about",
  );
});

t.test("what did not run is never green, and does not hide what is known", async (t) => {
  const context = session();
  const { collect } = ownTestSteps;
  const error = new PthError("TOOLCHAIN_MISSING", "Cannot run the tests: pytest needs pytest");
  const missing = await collect(context, { runs, ends: [{ error }], reason: "complete" });
  t.match(missing.followed.results, [{ status: "failed", category: "dependency-error" }]);
  await ended(t, context, [passes, adds]);
  const bailed = await collect(context, { runs, ends: [], reason: "bailed" });
  t.match(bailed.followed.results, [{ status: "skipped", note: /enough tests failed/ }]);
  const aborted = Object.assign(new Error("cancelled"), { name: "AbortError" });
  const cancelled = await collect(context, { runs, ends: [{ error: aborted }], reason: "complete" });
  t.match(cancelled.followed.results, [{ status: "skipped", note: /cancelled/ }]);
  t.equal(testCommands(context).results().summary.failed, 1);
  const lost = new PthError("ENVIRONMENT_LOST", "gone");
  await t.rejects(collect(context, { runs, ends: [{ error: lost }], reason: "complete" }), lost);
});
