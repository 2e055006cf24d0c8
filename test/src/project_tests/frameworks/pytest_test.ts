import t from "tap";
import pytest from "../../../../src/project_tests/frameworks/pytest.ts";
import { projectOf, readRun, recorded } from "../recorded_run.ts";

const place = { scratch: "/scratch", events: "/scratch/events" };
const wordsOf = async (files: Record<string, string>, request = {}) =>
  (await pytest.plan(projectOf(files, request), place)).runs.map(({ argv }) => argv);

t.test("is found by its configuration, what is installed, and tests that are functions", async (t) => {
  const found = async (files: Record<string, string>) => await pytest.detect(projectOf(files));
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
  const project = projectOf(files);
  await pytest.plan(project, place);
  t.strictSame(pytest.rerun!({ name: "a.py::t['x']", status: "failed" }, project), {
    argv: [".venv/bin/python", "-m", "pytest", "a.py::t['x']"],
  });
});

for (const kind of ["tests", "xdist"]) {
  t.test(`a run is read as pytest counts it: ${kind}`, (t) => {
    const run = readRun(pytest, { events: recorded(`pytest/${kind}/events.jsonl`) }, {
      exit: { code: 1, signal: null },
    });
    // pytest counts 6 failed and 2 errors, 10 and 1 unexpectedly passed, of which one has an error, too, 1 and 1 skipped.
    t.strictSame(run.counts, { passed: 9, failed: 8, skipped: 2 });
    t.strictSame([run.unreadable, run.open, run.notRun, run.incomplete], [[], [], [], []]);
    const of = (name: string) => run.outcomes[`tests/unit/test_maths.py: tests/unit/test_maths.py::${name}`]!;
    t.match(of("test_fails"), {
      message: /^assert 2\.0 == 3/,
      place: { file: "tests/unit/test_maths.py", line: 14 },
    });
    t.match(of("test_raises"), {
      message: "ZeroDivisionError: division by zero",
      place: { file: "pkg/maths.py", line: 2 },
    });
    t.match(of("test_skips"), { status: "skipped", message: "not now" });
    t.match(of("test_expected"), { status: "skipped", message: "expected failure: known" });
    t.match(of("test_broken"), { status: "failed", message: "in setup: RuntimeError: no fixture" });
    t.match(of("test_ends_badly"), { status: "failed", message: "in teardown: RuntimeError: no end" });
    t.match(of("test_many[quote ' \" $x]"), { status: "passed" });
    t.match(of("test_exits"), { status: "failed", message: "SystemExit: 0" });
    const output = run.events.find((event) =>
      event.type === "output" && event.test?.name.endsWith("test_passes")
    );
    t.match(output, { text: "hello from passes\n" });
    if (kind === "tests") {
      t.strictSame(pytest.suggestTraces!({ name: "", ...of("test_raises") }), ["divide"]);
      t.strictSame(pytest.suggestTraces!({ name: "", ...of("Old::test_old") }), []);
    }
    t.end();
  });
}

t.test("files that cannot be collected are told with their place, and no test ran", (t) => {
  const run = readRun(pytest, { events: recorded("pytest/errors/events.jsonl") }, {
    exit: { code: 2, signal: null },
  });
  t.match(run.notRun, [
    {
      place: { file: "tests/integration/test_load.py", line: 1 },
      message: "ModuleNotFoundError: No module named 'nothing_there'",
    },
    { place: { file: "tests/test_syntax.py", line: 1 }, message: "SyntaxError: invalid syntax" },
  ]);
  t.match(run.incomplete, [{ reason: /after 0 of \d+ tests/ }]);
  t.end();
});

t.test("a test that leaves the process with exit code 0 leaves the run incomplete, and is the one that is open", (t) => {
  const run = readRun(pytest, { events: recorded("pytest/left/events.jsonl") });
  t.strictSame(run.open, ["crash/test_crash.py: crash/test_crash.py::test_leaves"]);
  t.match(run.incomplete, [{ reason: /ended with exit code 0 before it said/ }]);
  t.end();
});

t.test("words that match more than the test that was meant tell of it alone", (t) => {
  const run = readRun(pytest, { events: recorded("pytest/tests/events.jsonl") }, {
    request: { test: "test_many" },
  });
  t.equal(Object.keys(run.outcomes).length, 6);
  t.end();
});
