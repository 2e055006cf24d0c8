import t from "tap";
import nodeTest from "../../../../src/project_tests/frameworks/node_test.ts";
import { projectFor } from "../../../contracts/test_framework_contract.ts";
import { outcomesOf, testRecorded } from "../recorded_tests.ts";

const place = { scratch: "/scratch", events: "/scratch/events" };
const manifest = (scripts: Record<string, string>, more = {}) => JSON.stringify({ scripts, ...more });
const lineOf = async (files: Record<string, string>, request = {}) =>
  (await nodeTest.plan(projectFor(request, files), place)).runs.map(({ argv }) => argv[2]!.split("\n")[1]);

t.test("is surest of a script, then of tests that import it", async (t) => {
  const confidence = async (files: Record<string, string>) =>
    (await nodeTest.detect(projectFor({}, files)))?.confidence;
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
  const { preparation } = await nodeTest.plan(projectFor({}, files), place);
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

// Node counts 6 failures, of which two are files that could not be loaded, and 11 passes, of which one is a lie: the
// file whose test leaves the process.
for (const version of ["node20", "node24"]) {
  t.test(`a run is read as it is: ${version}`, (t) => {
    testRecorded(t, nodeTest, `node_test/${version}`, { passed: 10, failed: 4, skipped: 2 });
  });
}

t.test("a rerun names the file and the test, whatever is in its name", async (t) => {
  const project = projectFor({}, {
    "package.json": manifest({ test: "node --import tsx --test test/*.ts" }),
  });
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
  const outcomes = outcomesOf(nodeTest, "node_test/node20", { request: { test: "suite > dup" } });
  t.strictSame(Object.keys(outcomes), ["test/a.test.js: suite > dup", "test/a.test.js: suite > dup #2"]);
  t.end();
});

t.test("functions of the project's frames are worth a trace", (t) => {
  const outcome = outcomesOf(nodeTest, "node_test/node24")["test/a.test.js: fails"]!;
  t.match(outcome.stack?.[0], /^at inner \(test\/a\.test\.js:3:28\)$/);
  t.strictSame(nodeTest.suggestTraces!({ name: "fails", ...outcome }), ["inner"]);
  t.end();
});
