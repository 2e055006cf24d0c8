import t from "tap";
import pytest from "../../../../src/project_tests/frameworks/pytest.ts";
import { projectFor, readAll, recordedRun } from "../../../contracts/test_framework_contract.ts";
import { outcomesOf, testRecorded } from "../recorded_tests.ts";

const place = { scratch: "/scratch", events: "/scratch/events" };
const wordsOf = async (files: Record<string, string>, request = {}) =>
  (await pytest.plan(projectFor(request, files), place)).runs.map(({ argv }) => argv);

t.test("is found by its configuration, what is installed, and tests that are functions", async (t) => {
  const found = async (files: Record<string, string>) => await pytest.detect(projectFor({}, files));
  t.match(await found({ "pyproject.toml": "[tool.pytest.ini_options]\n" }), { confidence: 90 });
  t.match(await found({ "setup.cfg": "[tool:pytest]\n" }), { confidence: 90, reason: "setup.cfg" });
  t.match(await found({ "tests/conftest.py": "" }), { confidence: 85 });
  t.match(await found({ "pyproject.toml": '[dependency-groups]\ndev = ["pytest>=8"]\n' }), {
    confidence: 80,
  });
  t.match(await found({ "tests/test_a.py": "def test_a():\n  pass\n" }), { confidence: 60 });
  t.equal(await found({ "tests/test_a.py": "import unittest\n", "setup.cfg": "[metadata]\n" }), undefined);
});

t.test("levels are markers, then folders, and refused where there is neither", async (t) => {
  const ini = {
    "pytest.ini": "[pytest]\nmarkers =\n    slow: takes long\n    integration: needs a server\n",
  };
  t.strictSame((await wordsOf(ini, { level: "integration" }))[0]!.slice(2), ["-m", "integration"]);
  t.strictSame((await wordsOf(ini, { level: "unit" }))[0]!.slice(2), ["-m", "not integration"]);
  const toml = {
    "pyproject.toml": '[tool.pytest.ini_options]\nmarkers = [\n  "e2e: all of it",\n  "unit",\n]\n',
  };
  t.strictSame((await wordsOf(toml, { level: "unit" }))[0]!.slice(2), ["-m", "unit"]);
  t.strictSame((await wordsOf(toml, { level: "e2e" }))[0]!.slice(2), ["-m", "e2e"]);
  const folders = { "tests/unit/test_a.py": "", "tests/test_b.py": "" };
  t.strictSame((await wordsOf(folders, { level: "unit" }))[0]!.slice(2), ["tests/unit/test_a.py"]);
  await t.rejects(wordsOf(folders, { level: "e2e" }), { code: "INVALID_INPUT" });
});

t.test("the virtual environment of the project runs a test by its node id, or by its name alone", async (t) => {
  const files = { ".venv/bin/python": "", "pytest.ini": "" };
  t.strictSame(await wordsOf(files, { test: "tests/test_a.py::test_b[x y]" }), [
    [".venv/bin/python", "/scratch/pytest_reporter.py", "tests/test_a.py::test_b[x y]"],
  ]);
  t.strictSame((await wordsOf({}, { test: "test_b" }))[0], [
    "python3",
    "/scratch/pytest_reporter.py",
    "-k",
    "test_b",
  ]);
  const project = projectFor({}, files);
  await pytest.plan(project, place);
  t.strictSame(pytest.rerun!({ name: "a.py::t['x']", status: "failed" }, project), {
    argv: [".venv/bin/python", "-m", "pytest", "a.py::t['x']"],
  });
});

for (const kind of ["tests", "workers"]) {
  // pytest counts 6 failed and 2 errors, 10 and 1 unexpectedly passed, of which one has an error, too, 1 and 1 skipped.
  t.test(`a run is read as it is: ${kind}`, (t) => {
    testRecorded(t, pytest, `pytest/${kind}`, { passed: 9, failed: 8, skipped: 2 });
  });
}

t.test("files that cannot be collected are told with their place, and no test ran", (t) => {
  testRecorded(t, pytest, "pytest/errors", { passed: 0, failed: 0, skipped: 0 });
});

t.test("a test that leaves the process with exit code 0 leaves the run incomplete, and is open", (t) => {
  const events = readAll(pytest.reader(projectFor()), recordedRun("pytest/left"));
  const started = events.flatMap((event) => event.type === "started" ? [event.test.name] : []);
  t.strictSame(started, ["crash/test_crash.py::test_before", "crash/test_crash.py::test_leaves"]);
  testRecorded(t, pytest, "pytest/left", { passed: 1, failed: 0, skipped: 0 });
});

t.test("what a test printed is told as its own", (t) => {
  const events = readAll(pytest.reader(projectFor()), recordedRun("pytest/tests"));
  const own = events.filter((event) => event.type === "output" && event.test?.name.endsWith("::test_passes"));
  t.match(own, [{ text: "hello from passes\n" }]);
  t.end();
});

t.test("functions of the project's frames are worth a trace, and not those of libraries", (t) => {
  const outcomes = outcomesOf(pytest, "pytest/tests");
  const tracesOf = (name: string) => {
    const full = `tests/unit/test_maths.py::${name}`;
    return pytest.suggestTraces!({ name: full, ...outcomes[`tests/unit/test_maths.py: ${full}`]! });
  };
  t.strictSame(tracesOf("test_raises"), ["divide"]);
  t.strictSame(tracesOf("Old::test_old"), []);
  t.end();
});

t.test("a word that selects more than the test that was meant tells of it alone", (t) => {
  t.equal(Object.keys(outcomesOf(pytest, "pytest/tests", { request: { test: "test_many" } })).length, 6);
  t.end();
});
