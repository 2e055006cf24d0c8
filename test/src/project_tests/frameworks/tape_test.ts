import t from "tap";
import tape from "../../../../src/project_tests/frameworks/tape.ts";
import { projectFor } from "../../../contracts/test_framework_contract.ts";
import { outcomesOf, testRecorded } from "../recorded_tests.ts";

const place = { scratch: "/s", events: "/s/events" };
const manifest = (test: string) => ({ "package.json": JSON.stringify({ scripts: { test } }) });
const using = 'const test = require("tape");';
const linesOf = async (files: Record<string, string>, request = {}) =>
  (await tape.plan(projectFor(request, files), place)).runs.map(({ argv }) => argv[2]!.split("\n")[1]);

t.test("is found by a script that runs it, or runs a file that uses it, or by the dependency", async (t) => {
  const found = async (files: Record<string, string>) =>
    (await tape.detect(projectFor({}, files)))?.confidence;
  t.equal(await found(manifest("nyc tape 'test/*.js' | tap-spec")), 95);
  t.equal(await found({ ...manifest("node test/a"), "test/a.js": using }), 95);
  t.equal(await found({ ...manifest("node -r esm test"), "test/index.js": 'import test from "tape";' }), 95);
  t.equal(await found({ "package.json": JSON.stringify({ devDependencies: { tape: "5" } }) }), 80);
  t.equal(await found({ ...manifest("node test.js"), "test.js": "" }), undefined);
});

t.test("a script keeps its arguments, and its parts run one after the other", async (t) => {
  t.strictSame(await linesOf(manifest("c8 tape -r esm 'test/*.js' | tap-spec")), [
    "c8 tape --require /s/tape_listener.cjs -r esm 'test/*.js'",
  ]);
  const parts = { ...manifest("node test/a.js && node test/b.js"), "test/a.js": using, "test/b.js": using };
  t.strictSame(await linesOf(parts), [
    "node --require /s/tape_listener.cjs test/a.js",
    "node --require /s/tape_listener.cjs test/b.js",
  ]);
});

t.test("without a script the files that use it run, and levels are folders of them", async (t) => {
  const files = { "test/unit/a.js": using, "test/e2e/b.js": using, "test/help.js": "" };
  t.strictSame(await linesOf(files), [
    "tape --require /s/tape_listener.cjs test/e2e/b.js test/unit/a.js",
  ]);
  t.strictSame(await linesOf({ ...files, ...manifest("tape -i .no test/**/*.js") }, { level: "unit" }), [
    "tape --require /s/tape_listener.cjs -i .no test/unit/a.js",
  ]);
  await t.rejects(linesOf(files, { level: "integration" }), { code: "INVALID_INPUT" });
});

// tape counts assertions: 7 passes and 9 failures, of which "has no body" is one; two of "fails", and one after an end.
t.test("a run is read as it is", (t) => {
  testRecorded(t, tape, "tape/tests", { passed: 10, failed: 8, skipped: 2 });
});

t.test("so is one of version 4", (t) => {
  testRecorded(t, tape, "tape/version4", { passed: 9, failed: 6, skipped: 2 });
});

t.test("tests fail that process.exit(0) or an error ends, and those behind", (t) => {
  t.test("exit", (t) => testRecorded(t, tape, "tape/left", { passed: 1, failed: 2, skipped: 0 }));
  t.test("error", (t) => testRecorded(t, tape, "tape/thrown", { passed: 1, failed: 1, skipped: 0 }));
  t.end();
});

t.test("a signal leaves the test open, and a file that cannot be loaded has its place", (t) => {
  t.test("signal", (t) => testRecorded(t, tape, "tape/crash", { passed: 1, failed: 0, skipped: 0 }));
  t.test("file", (t) => testRecorded(t, tape, "tape/errors", { passed: 0, failed: 0, skipped: 0 }));
  t.end();
});

t.test("only the test that was asked for is told, with those below it", (t) => {
  t.strictSame(Object.keys(outcomesOf(tape, "tape/tests", { request: { test: "parent" } })), [
    "test/a.js: parent > child",
    "test/a.js: parent > failing child",
    "test/a.js: parent",
  ]);
  t.end();
});

t.test("a rerun is of the file, with the options of the script", async (t) => {
  const project = projectFor({}, manifest("tape -r esm test/*.js"));
  await tape.plan(project, place);
  t.strictSame(tape.rerun!({ name: "a", suite: "test/a.js", status: "failed" }, project).argv, [
    "npx",
    "tape",
    "-r",
    "esm",
    "test/a.js",
  ]);
});
