import t from "tap";
import bun from "../../../../src/project_tests/frameworks/bun.ts";
import { projectFor } from "../../../contracts/test_framework_contract.ts";
import { outcomesOf, testRecorded } from "../recorded_tests.ts";

const place = { scratch: "/s", events: "/s/events" };
const manifest = (scripts: Record<string, string>) => ({ "package.json": JSON.stringify({ scripts }) });
const own = "bun --config=/s/bunfig.toml /s/bun_runner.mjs test";
const linesOf = async (files: Record<string, string>, request = {}) =>
  (await bun.plan(projectFor(request, files), place)).runs.map(({ argv }) => argv[2]!.split("\n")[1]);

t.test("is found by a script, or by tests that import it", async (t) => {
  const found = async (files: Record<string, string>) =>
    (await bun.detect(projectFor({}, files)))?.confidence;
  t.equal(await found(manifest({ test: "bun run build && bun test" })), 95);
  t.equal(await found({ "src/a.test.ts": 'import { test } from "bun:test";' }), 90);
  t.equal(await found({ "bun.lockb": "", "a.test.ts": 'import { test } from "vitest";' }), undefined);
});

t.test("a script keeps its arguments, and what it does before", async (t) => {
  const files = manifest({ test: "bun run build && A=1 bun test --coverage src", build: "tsc" });
  t.strictSame(await linesOf(files), [`A=1 ${own} --coverage src`]);
  t.strictSame(await linesOf({}), [own]);
});

t.test("levels are scripts, then files, and a single test is a pattern of its whole name", async (t) => {
  const files = {
    ...manifest({ "test": "bun test --bail", "test:e2e": "bun test ./e2e" }),
    "unit/a.test.ts": "",
  };
  t.strictSame(await linesOf(files, { level: "e2e" }), [`${own} ./e2e`]);
  t.strictSame(await linesOf(files, { level: "unit" }), [`${own} --bail unit/a.test.ts`]);
  await t.rejects(linesOf(files, { level: "integration" }), { code: "INVALID_INPUT" });
  t.strictSame(await linesOf({}, { test: "sums > adds (1 + 1)" }), [
    `${own} '--test-name-pattern=^sums(?: > | )adds \\(1 \\+ 1\\)$'`,
  ]);
});

// Bun counts 8 passes, 1 skip, 2 to do, and 8 failures; one test was not run, as a hook before it failed.
t.test("a run is read as it is", (t) => {
  testRecorded(t, bun, "bun/tests", { passed: 8, failed: 8, skipped: 4 });
});

t.test("a test that leaves its process, with 0 or by a signal, is open at the end", (t) => {
  t.test("exit", (t) => testRecorded(t, bun, "bun/left", { passed: 1, failed: 0, skipped: 0 }));
  t.test("signal", (t) => testRecorded(t, bun, "bun/crash", { passed: 1, failed: 0, skipped: 0 }));
  t.end();
});

t.test("files that cannot be loaded are failures with their place", (t) => {
  testRecorded(t, bun, "bun/errors", { passed: 1, failed: 0, skipped: 0 });
});

t.test("a failure has its message and its frames", (t) => {
  const outcome = outcomesOf(bun, "bun/tests")["a.test.ts: raises"]!;
  t.match(outcome, { message: "RangeError: no zero", stack: ["at a.test.ts:2:87", "at a.test.ts:10:24"] });
  t.end();
});

t.test("a rerun has the options of the script", async (t) => {
  const project = projectFor({}, manifest({ test: "bun test --preload ./setup.ts src" }));
  await bun.plan(project, place);
  t.strictSame(bun.rerun!({ name: "a > b", suite: "a.test.ts", status: "failed" }, project).argv, [
    "bun",
    "test",
    "--preload",
    "./setup.ts",
    "--test-name-pattern=^a(?: > | )b$",
    "a.test.ts",
  ]);
});
