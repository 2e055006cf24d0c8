import t from "tap";
import tap from "../../../../src/project_tests/frameworks/tap.ts";
import { projectFor } from "../../../contracts/test_framework_contract.ts";
import { outcomesOf, testRecorded } from "../recorded_tests.ts";

const place = { scratch: "/s", events: "/s/events" };
const manifest = (test: string) => ({ "package.json": JSON.stringify({ scripts: { test } }) });
const lineOf = async (files: Record<string, string>, request = {}, installed = "21.8.0") => {
  const stdout = `{ "version": "${installed}" }`;
  const project = {
    ...projectFor(request, files),
    probe: () => Promise.resolve({ code: 0, stdout, stderr: "" }),
  };
  return (await tap.plan(project, place)).runs[0]!.argv[2]!.split("\n")[1];
};

t.test("is found by a script, its configuration or the dependency", async (t) => {
  const found = async (files: Record<string, string>) =>
    (await tap.detect(projectFor({}, files)))?.confidence;
  t.equal(await found(manifest("tsc && tap -j 1")), 95);
  t.equal(await found({ ".taprc": "" }), 90);
  t.equal(await found({ "package.json": JSON.stringify({ devDependencies: { tap: "21" } }) }), 80);
  t.equal(await found(manifest("tape test")), undefined);
});

t.test("a script keeps its arguments, and one test is chosen on each level", async (t) => {
  const own = "--reporter=/s/tap_reporter.cjs";
  const part = "--allow-incomplete-coverage --allow-empty-coverage";
  t.equal(await lineOf(manifest("tap -j 1 test/*.js")), `tap -j 1 test/*.js ${own}`);
  t.equal(
    await lineOf(manifest("tap"), { test: "sums > adds (1 + 1)" }),
    `tap ${own} ${part} '--grep=/^sums$/' '--grep=/^adds \\(1 \\+ 1\\)$/'`,
  );
  const files = { ...manifest("tap"), "test/a.js": "", "test/unit/b.js": "" };
  t.equal(await lineOf(files, { test: "test/a.js" }), `tap ${own} ${part} test/a.js`);
  t.equal(await lineOf(files, { level: "unit" }), `tap ${own} ${part} test/unit/b.js`);
  t.equal(await lineOf(files, { level: "unit" }, "16.3.10"), `tap ${own} --no-check-coverage test/unit/b.js`);
});

// node-tap counts 15 failures: each failing assertion, and each test that fails without one.
t.test("a run is read as it is", (t) => {
  testRecorded(t, tap, "tap/tests", { passed: 8, failed: 10, skipped: 4 });
});

t.test("so is one of version 16", (t) => {
  testRecorded(t, tap, "tap/version16", { passed: 9, failed: 9, skipped: 4 });
});

t.test("a test that leaves its process fails, and so does a file that does nothing else wrong", (t) => {
  testRecorded(t, tap, "tap/left", { passed: 3, failed: 3, skipped: 0 });
});

t.test("files that cannot be loaded are failures with their place, and one that bails out is not whole", (t) => {
  testRecorded(t, tap, "tap/errors", { passed: 1, failed: 1, skipped: 0 });
});

t.test("what was asked for is told, with what is below it", (t) => {
  t.strictSame(Object.keys(outcomesOf(tap, "tap/tests", { request: { test: "parent" } })), [
    "test/a.test.js: parent > child",
    "test/a.test.js: parent > failing child",
    "test/a.test.js: parent",
  ]);
  t.strictSame(Object.keys(outcomesOf(tap, "tap/tests", { request: { test: "test/b.test.js" } })), [
    "test/b.test.js: test/b.test.js",
  ]);
  t.end();
});

t.test("functions of the project's frames are worth a trace", (t) => {
  const outcome = outcomesOf(tap, "tap/tests")["test/a.test.js: rejects"]!;
  t.strictSame(tap.suggestTraces!({ name: "rejects", ...outcome }), ["divide"]);
  t.end();
});
