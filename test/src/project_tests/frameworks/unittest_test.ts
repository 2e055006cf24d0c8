import t from "tap";
import unittest from "../../../../src/project_tests/frameworks/unittest.ts";
import { projectFor } from "../../../contracts/test_framework_contract.ts";
import { outcomesOf, testRecorded } from "../recorded_tests.ts";

const place = { scratch: "/s", events: "/s/events" };
const wordsOf = async (files: Record<string, string>, request = {}) =>
  (await unittest.plan(projectFor(request, files), place)).runs[0]!.argv;

t.test("is found by test files that import it", async (t) => {
  const files = { "tests/test_a.py": "import unittest\n" };
  t.match(await unittest.detect(projectFor({}, files)), { confidence: 65, reason: /tests\/test_a\.py/ });
  t.equal(await unittest.detect(projectFor({}, { "tests/test_a.py": "def test_a(): pass\n" })), undefined);
});

t.test("tests are looked for where they lie, and levels are folders", async (t) => {
  const files = { "tests/test_a.py": "", "venv/bin/python": "" };
  t.strictSame(await wordsOf(files), [
    "venv/bin/python",
    "/s/unittest_reporter.py",
    "discover",
    "-s",
    "tests",
  ]);
  t.strictSame((await wordsOf({ "test/__init__.py": "", "test/test_a.py": "" })).slice(2), [
    "discover",
    "-s",
    "test",
    "-t",
    ".",
  ]);
  t.strictSame((await wordsOf({ "test_a.py": "" }, { test: "test_a.A.test_b" })).slice(2), [
    "test_a.A.test_b",
  ]);
  t.strictSame((await wordsOf({ "tests/unit/test_a.py": "" }, { level: "unit" })).slice(2), [
    "tests/unit/test_a.py",
  ]);
  await t.rejects(wordsOf(files, { level: "e2e" }), { code: "INVALID_INPUT" });
});

// unittest counts 3 failures, of which two are of one test, 3 errors, of which two are of no test, 1 unexpected success,
// 1 skipped and 1 expected failure.
t.test("a run is read as it is", (t) => {
  testRecorded(t, unittest, "unittest/tests", { passed: 1, failed: 4, skipped: 2 });
});

t.test("a test that leaves the process with exit code 0 leaves the run incomplete", (t) => {
  testRecorded(t, unittest, "unittest/left", { passed: 1, failed: 0, skipped: 0 });
});

t.test("a rerun names the test, and functions of the project's frames are worth a trace", (t) => {
  const outcome = outcomesOf(unittest, "unittest/tests")["tests/test_a.py: tests.test_a.Sums.test_raises"]!;
  const test = { name: "tests.test_a.Sums.test_raises", ...outcome };
  t.strictSame(unittest.suggestTraces!(test), ["divide"]);
  t.strictSame(unittest.rerun!(test, projectFor()).argv, ["python3", "-m", "unittest", test.name]);
  t.end();
});
