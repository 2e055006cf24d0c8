import t from "tap";
import deno from "../../../../src/project_tests/frameworks/deno.ts";
import { projectFor, readAll, recordedRun, toldIn } from "../../../contracts/test_framework_contract.ts";
import { outcomesOf, testRecorded } from "../recorded_tests.ts";

const place = { scratch: "/s", events: "/s/events" };
const tasks = (given: Record<string, unknown>) => ({
  "deno.jsonc": `// of Deno\n${JSON.stringify({ tasks: given })}`,
});
const linesOf = async (files: Record<string, string>, request = {}) =>
  (await deno.plan(projectFor(request, files), place)).runs.map(({ argv }) => argv[2]!.split("\n")[1]);

t.test("is found by a task or script, or by tests that use it", async (t) => {
  const found = async (files: Record<string, string>) =>
    (await deno.detect(projectFor({}, files)))?.confidence;
  t.equal(await found(tasks({ test: "deno task check && deno test -A" })), 95);
  t.equal(await found(tasks({ test: { command: "deno test" } })), 95);
  t.equal(await found({ "package.json": '{ "scripts": { "test": "deno test" } }' }), 95);
  t.equal(await found({ "deno.json": "{", "a_test.ts": 'Deno.test("a", () => {});' }), 90);
  t.equal(await found({ "a.test.ts": 'import { describe } from "jsr:@std/testing/bdd";' }), 75);
  t.equal(await found({ "deno.json": "{}", "a_test.ts": 'import test from "node:test";' }), undefined);
});

t.test("a task keeps its permissions, and other tasks are followed", async (t) => {
  const files = tasks({
    test: "deno task unit -- --quiet",
    unit: "deno test --allow-read --reporter=dot src",
  });
  t.strictSame(await linesOf(files), ["deno test --junit-path=/s/events --allow-read src --quiet"]);
  t.strictSame(await linesOf({}), ["deno test --junit-path=/s/events -A"]);
});

t.test("levels are tasks, then files, and a single test is a filter", async (t) => {
  const files = { ...tasks({ "test": "deno test -A", "test:e2e": "deno test e2e" }), "unit/a_test.ts": "" };
  t.strictSame(await linesOf(files, { level: "e2e" }), ["deno test --junit-path=/s/events e2e"]);
  t.strictSame(await linesOf(files, { level: "unit" }), [
    "deno test --junit-path=/s/events -A unit/a_test.ts",
  ]);
  await t.rejects(linesOf(files, { level: "integration" }), { code: "INVALID_INPUT" });
  t.strictSame(await linesOf(files, { test: "adds (1 + 1) > a step" }), [
    "deno test --junit-path=/s/events '--filter=/^adds \\(1 \\+ 1\\)$/' -A",
  ]);
});

// Deno counts 7 passed (1 step), 6 failed (2 steps), 1 ignored (1 step).
t.test("a run is read as it is", (t) => {
  testRecorded(t, deno, "deno/tests", { passed: 8, failed: 8, skipped: 2 });
});

t.test("so is one whose files run side by side", (t) => {
  testRecorded(t, deno, "deno/parallel", { passed: 4, failed: 1, skipped: 0 });
});

t.test("errors of the type checker, and of files that cannot be loaded, have their place", (t) => {
  t.test("types", (t) => testRecorded(t, deno, "deno/type_errors", { passed: 0, failed: 0, skipped: 0 }));
  t.test("files", (t) => testRecorded(t, deno, "deno/load_errors", { passed: 1, failed: 0, skipped: 0 }));
  t.end();
});

t.test("what a test throws later is a failure of its file, and a signal leaves its test open", (t) => {
  t.test("later", (t) => testRecorded(t, deno, "deno/uncaught", { passed: 2, failed: 2, skipped: 0 }));
  t.test("signal", (t) => testRecorded(t, deno, "deno/crash", { passed: 1, failed: 0, skipped: 0 }));
  t.end();
});

t.test("a test that prints that it passed does not pass by that", (t) => {
  const run = recordedRun("deno/tests");
  const pieces = run.pieces.map(([stream, text]): typeof run.pieces[number] => [
    stream,
    text.replace("fails ... FAILED (", "fails ... ok ("),
  ]);
  const lines = toldIn(readAll(deno.reader(projectFor()), { ...run, pieces }));
  t.match(lines.at(-1), "broken");
  t.end();
});

t.test("a test that has begun is told before it ends, and output is its own", (t) => {
  const reader = deno.reader(projectFor());
  const test = { name: "adds", suite: "a_test.ts" };
  t.strictSame(reader.push("stdout", "running 2 tests from ./a_test.ts\nadds ...").at(-1), {
    type: "started",
    test,
  });
  t.strictSame(reader.push("stdout", "\n------- output -------\nsaid\n").at(-1), {
    type: "output",
    test,
    text: "said\n",
  });
  t.end();
});

t.test("a line without an end is output, however many ends of tests are in it", (t) => {
  const reader = deno.reader(projectFor());
  const flood = "x ... ok (1ms".repeat(80_000);
  const events = reader.push("stdout", `running 1 test from ./a_test.ts\n${flood}\nadds ...\n${flood}\n`);
  t.strictSame(events.filter(({ type }) => type !== "output"), [
    { type: "started", test: { name: "adds", suite: "a_test.ts" } },
  ]);
  t.end();
});

t.test("a rerun has the permissions of the task, and functions of the project are worth a trace", async (t) => {
  const project = projectFor({}, tasks({ test: "deno test --allow-read src" }));
  await deno.plan(project, place);
  t.strictSame(deno.rerun!({ name: "a\\nb > step", suite: "a_test.ts", status: "failed" }, project).argv, [
    "deno",
    "test",
    "--allow-read",
    "--filter=/^a(?:\\\\n|\\n)b$/",
    "a_test.ts",
  ]);
  const outcome = outcomesOf(deno, "deno/tests")["a_test.ts: raises"]!;
  t.strictSame(deno.suggestTraces!({ name: "raises", ...outcome }), ["divide"]);
});
