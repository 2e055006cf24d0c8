import t from "tap";
import phpunit from "../../../../src/project_tests/frameworks/phpunit.ts";
import { projectFor } from "../../../contracts/test_framework_contract.ts";
import { testRecorded } from "../recorded_tests.ts";

const place = { scratch: "/s", events: "/s/events" };
const wordsOf = async (files: Record<string, string>, request = {}) =>
  (await phpunit.plan(projectFor(request, files), place)).runs[0]!.argv;

t.test("is found by its configuration, or the dependency", async (t) => {
  t.match(await phpunit.detect(projectFor({}, { "phpunit.xml.dist": "" })), { confidence: 90 });
  const composer = { "composer.json": '{"require-dev": {"phpunit/phpunit": "^9"}}' };
  t.match(await phpunit.detect(projectFor({}, composer)), { confidence: 80 });
  t.equal(await phpunit.detect(projectFor({}, { "composer.json": "{}" })), undefined);
});

t.test("levels are test suites, and a single test is a filter", async (t) => {
  const files = { "phpunit.xml": '<testsuite name="Unit">', "vendor/bin/phpunit": "" };
  const begin = ["vendor/bin/phpunit", "--log-teamcity", "/s/events"];
  t.strictSame(await wordsOf(files, { level: "unit" }), [...begin, "--testsuite", "Unit"]);
  await t.rejects(wordsOf(files, { level: "e2e" }), { code: "INVALID_INPUT" });
  t.strictSame(await wordsOf(files, { test: "A\\BTest::testC" }), [
    ...begin,
    "--filter",
    "/^A\\\\BTest::testC$/",
  ]);
});

// PHPUnit counts 8 tests: 1 error, 2 failures, 1 skipped, 1 incomplete, 1 risky.
t.test("a run is read as it is", (t) => {
  testRecorded(t, phpunit, "phpunit/tests", { passed: 2, failed: 3, skipped: 3 });
});

t.test("a test that exits with 0 leaves the run incomplete", (t) => {
  testRecorded(t, phpunit, "phpunit/left", { passed: 1, failed: 0, skipped: 0 });
});
