import t from "tap";
import nodeTest from "../../../../src/project_tests/frameworks/node_test.ts";
import { projectOf, readRun, recorded } from "../recorded_run.ts";

const place = { scratch: "/scratch", events: "/scratch/events" };
const manifest = (scripts: Record<string, string>, more = {}) => JSON.stringify({ scripts, ...more });
const lineOf = async (files: Record<string, string>, request = {}) =>
  (await nodeTest.plan(projectOf(files, request), place)).runs.map(({ argv }) => argv[2]!.split("\n")[1]);

t.test("is surest of a script, then of tests that import it", async (t) => {
  const confidence = async (files: Record<string, string>) =>
    (await nodeTest.detect(projectOf(files)))?.confidence;
  t.equal(await confidence({ "package.json": manifest({ test: "node --test" }) }), 95);
  t.equal(
    await confidence({
      "package.json": manifest({ test: "npm run unit -- --x", unit: "tsc && tsx --test test/*.ts" }),
    }),
    95,
  );
  t.equal(await confidence({ "test/a.js": 'const test = require("node:test");' }), 75);
  t.equal(
    await confidence({ "package.json": manifest({ test: "node build.js" }), "test/a.js": "1" }),
    undefined,
  );
  t.equal(await confidence({ "package.json": "{ no JSON" }), undefined);
});

t.test("a script keeps its arguments, and what it does before", async (t) => {
  const files = {
    "package.json": manifest({
      pretest: "npm run build",
      test: 'tsc -p . && NODE_ENV=test node --import tsx --test "test/**/*.js" | tap-spec',
    }),
  };
  const { preparation } = await nodeTest.plan(projectOf(files), place);
  t.strictSame(preparation.map(({ argv }) => argv[2]!.split("\n")[1]), ["npm run build", "tsc -p ."]);
  t.strictSame(await lineOf(files), [
    "NODE_ENV=test node --require=/scratch/exit.cjs --test-reporter=/scratch/reporter.mjs " +
    "--test-reporter-destination=stdout --test-reporter=spec --test-reporter-destination=stdout " +
    '--import tsx --test "test/**/*.js"',
  ]);
  const own = { "package.json": manifest({ test: "node --test --test-reporter=dot" }) };
  t.strictSame(await lineOf(own), [
    "node --require=/scratch/exit.cjs --test-reporter=/scratch/reporter.mjs --test-reporter-destination=stdout " +
    "--test-reporter-destination=stdout --test --test-reporter=dot",
  ], "an own reporter stays the only other one");
});

t.test("levels are scripts, then folders, and refused where there is neither", async (t) => {
  const scripts = { "package.json": manifest({ test: "node --test", "test:e2e": "node --test e2e/all.js" }) };
  t.match(await lineOf(scripts, { level: "e2e" }), [/--test e2e\/all\.js$/]);
  const folders = {
    "package.json": manifest({ test: "node --import tsx --test test/all.test.js" }),
    "test/unit/a b.test.js": "",
    "test/integration/c.test.js": "",
  };
  t.match(await lineOf(folders, { level: "unit" }), [/--import tsx --test 'test\/unit\/a b\.test\.js'$/]);
  await t.rejects(lineOf(folders, { level: "e2e" }), { code: "INVALID_INPUT", message: /level e2e/ });
});

for (const version of [20, 24]) {
  t.test(`a run of Node ${version} is read as Node counts it`, (t) => {
    const run = readRun(nodeTest, {
      events: recorded(`node_test/${version}/events.jsonl`),
      stdout: recorded(`node_test/${version}/stdout.txt`),
    }, { exit: { code: 1, signal: null } });
    // Node counts 6 failures, of which two are files that could not be loaded, and 11 passes, one of them a lie.
    t.strictSame(run.counts, { passed: 10, failed: 4, skipped: 2 });
    t.strictSame(run.unreadable, []);
    t.strictSame(run.open, []);
    t.match(run.notRun, [
      { place: { file: "test/load.test.js" }, message: /ERR_MODULE_NOT_FOUND/ },
      { place: { file: "test/syntax.test.js", line: 1 }, message: /^SyntaxError/ },
    ]);
    t.match(run.incomplete, [{ suite: "test/exit.test.js", reason: /left the process/ }, {
      complete: false,
    }]);
    t.match(run.outcomes["test/a.test.js: fails"], {
      status: "failed",
      message: /^Expected values to be strictly equal/,
      place: { file: "test/a.test.js", line: 3, column: 28 },
      stack: [/^at inner/],
    });
    t.equal(run.outcomes["test/a.test.js: suite > quote ' \" $x `y` and\nnewline"]?.status, "passed");
    t.equal(run.outcomes["test/a.test.js: suite > dup"]?.status, "passed");
    t.equal(run.outcomes["test/a.test.js: suite > dup #2"]?.status, "failed");
    t.match(run.outcomes["test/a.test.js: skips"], { status: "skipped", message: "not now" });
    t.match(run.outcomes["test/a.test.js: todo fails"], { status: "skipped", message: "to do later" });
    t.ok(run.outcomes["test/plain.test.js: test/plain.test.js"], "a file without tests is one");
    t.end();
  });
}

t.test("a rerun names the file and the test, whatever is in its name", async (t) => {
  const project = projectOf({ "package.json": manifest({ test: "node --import tsx --test test/*.ts" }) });
  await nodeTest.plan(project, place);
  const rerun = (name: string) =>
    nodeTest.rerun!({ name, suite: "test/a.ts", status: "failed" }, project).argv.slice(1);
  t.strictSame(rerun("adds (1 + 1)"), [
    "--import",
    "tsx",
    "--test",
    "--test-name-pattern=^adds \\(1 \\+ 1\\)$",
    "test/a.ts",
  ]);
  t.match(rerun("suite > a\nb #2"), [
    "--import",
    "tsx",
    "--test",
    "--test-name-pattern=^(?:suite a\\nb|a\\nb)$",
  ]);
  t.match(rerun("parent >> child"), ["--import", "tsx", "--test", "--test-name-pattern=^parent$"]);
  t.strictSame(rerun("test/a.ts").slice(2), ["--test", "test/a.ts"]);
  t.end();
});

t.test("only the test that was asked for is told, though older versions run more", (t) => {
  const request = { test: "suite > dup" };
  const run = readRun(nodeTest, { events: recorded("node_test/20/events.jsonl") }, { request });
  t.strictSame(Object.keys(run.outcomes), ["test/a.test.js: suite > dup", "test/a.test.js: suite > dup #2"]);
  t.end();
});

t.test("functions of the project's frames are worth a trace", (t) => {
  const { outcomes } = readRun(nodeTest, { events: recorded("node_test/24/events.jsonl") });
  const name = "fails";
  t.strictSame(nodeTest.suggestTraces!({ name, ...outcomes["test/a.test.js: fails"]! }), ["inner"]);
  t.end();
});
