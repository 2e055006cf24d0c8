import t from "tap";
import type { ProjectTest } from "../../../../machines/model/project_test.ts";
import type { ProjectTestAnswer } from "../../../../machines/model/project_test_run.ts";
import {
  outputWithPlace,
  type OwnRunDetails,
  ownTestResults,
  ownTestsNotRun,
  ownTestsSkipped,
  withOwnIds,
} from "../../../../src/actors/project_tests/own_test_results.ts";
import { PthError } from "../../../../src/core/errors.ts";
import { sourcePlaces } from "../../../../src/diagnosis/source_places.ts";
import { textSources } from "../../../../src/plugin/plugin_sources.ts";

const answer = (
  summary: Partial<NonNullable<ProjectTestAnswer["summary"]>>,
  more = {},
): ProjectTestAnswer => ({
  framework: "node:test",
  summary: { passed: 0, failed: 0, skipped: 0, duration_ms: 1, ...summary },
  ...more,
});
const details = (tests: ProjectTest[], problems: OwnRunDetails["problems"] = []): OwnRunDetails => ({
  tests,
  problems,
  found: [],
});
const resultsWithIds = (...run: Parameters<typeof ownTestResults>) => withOwnIds(ownTestResults(...run));
const statusesOf = (results: ReturnType<typeof ownTestResults>) =>
  results.map(({ test: { name }, verdict: { status, category } }) => [name, status, category]);

t.test("each own test is a result of its own, a failure with its place, category and what it printed", (t) => {
  const suite = "test/sum.test.js";
  const results = resultsWithIds(
    answer({ passed: 1, failed: 3, skipped: 1 }),
    details([
      { name: "passes", suite, status: "passed", durationMs: 2, output: "" },
      { name: "is not ready", suite, status: "skipped", message: "later" },
      {
        name: "adds",
        suite,
        status: "failed",
        message: "Expected values to be strictly equal:\n\n-1 !== 3\n",
        place: { file: suite, line: 4 },
        stack: ["at TestContext.<anonymous> (test/sum.test.js:4:29)"],
      },
      { name: "throws", suite, status: "failed", message: "TypeError: x is not a function" },
      { name: "leaves", suite, status: "crashed", message: "The process ended while this test ran" },
    ]),
  );
  t.same(statusesOf(results), [
    ["passes", "passed", undefined],
    ["is not ready", "skipped", undefined],
    ["adds", "failed", "wrong-output"],
    ["throws", "failed", "runtime-exception"],
    ["leaves", "failed", "runtime-exception"],
  ]);
  const [passed, skipped, failed] = results;
  t.match(passed, { durationMs: 2, output: "" });
  t.equal(skipped!.verdict.note, "later");
  t.match(failed!.test, { file: suite, line: 4, own: { framework: "node:test", suite, test: "adds" } });
  t.equal(failed!.test.id, "own:test-sum-test-js-adds");
  t.match(failed!.verdict.message, /^Expected values to be strictly equal: -1 !== 3$/);
  t.match(failed!.output, /sum\.test\.js:4:29/);
  t.end();
});

t.test("a test keeps its id in the next run, whatever else ran", (t) => {
  const named = (...names: [string, string?][]) =>
    resultsWithIds(
      answer({ passed: names.length }),
      details(names.map(([name, suite]) => ({ name, status: "passed", ...(suite && { suite }) }))),
    ).map(({ test }) => test.id);
  t.same(named(["a", "one"], ["a", "two"]), ["own:one-a", "own:two-a"]);
  t.same(named(["a", "two"]), ["own:two-a"]);
  t.same(named(["a"], ["a"], ["a 2"]), ["own:a", "own:a-3", "own:a-2"]);
  t.end();
});

t.test("frames of an exception lead to the source, the innermost first", async (t) => {
  const sources = textSources({ "a.py": "def f(x):\n    return x.y\n", "test_a.py": "\n".repeat(9) });
  const [failed] = ownTestResults(
    answer({ failed: 1 }),
    details([{
      name: "test_a.T.test_boom",
      status: "failed",
      message: "AttributeError: 'int' object has no attribute 'y'",
      place: { file: "a.py", line: 2 },
      stack: ['File "a.py", line 2, in f', 'File "test_a.py", line 7, in test_boom'],
    }]),
  );
  const places = await sourcePlaces(outputWithPlace(failed!), { sources, roots: [] });
  t.match(places, [{ path: "a.py", line: 2, name: "f" }, { path: "test_a.py", line: 7 }]);
});

t.test("a stuck test fails with its verdict and stacks, also where no test is known to have run", (t) => {
  const stuck = [{
    name: "locks",
    elapsed_ms: 1234,
    diagnosis: "Deadlock: A waits for B waits for A",
    threads: [{ name: "A", stack: ["wait (/usr/lib/threading.py:9)", "lock (a.py:3)"] }],
  }];
  const known = ownTestResults(
    answer({ stuck: 1 }, { stuck }),
    details([{ name: "locks", status: "stuck" }]),
  );
  t.same(statusesOf(known), [["locks", "failed", "timeout"]]);
  t.equal(
    known[0]!.verdict.message,
    "Stuck: Deadlock: A waits for B waits for A\nA:\n    wait (/usr/lib/threading.py:9)\n    lock (a.py:3)\n" +
      "It was ended after 1.2 s; tests that had not begun by then did not run.",
  );
  t.match(known[0], { durationMs: 1234, test: { file: "a.py", line: 3 } });
  const unknown = ownTestResults(
    answer({ passed: 1, stuck: 1 }, { stuck: [{ ...stuck[0]!, name: "(the run)" }] }),
    details([{ name: "a", status: "passed" }]),
  );
  t.same(statusesOf(unknown), [["a", "passed", undefined], ["own tests: the run", "failed", "timeout"]]);
  t.end();
});

t.test("what the run does not show is a failure: no test, no result, a problem, failures that are not listed", (t) => {
  const none = ownTestResults(
    { framework: "node:test", summary: null, no_tests: true, hint: "Write the first one." },
    undefined,
  );
  t.match(none, [{ verdict: { status: "failed", message: /no own tests.*Write the first one/ } }]);
  t.match(ownTestResults(answer({}), details([])), [{ verdict: { status: "failed" } }]);
  const message = "The run failed though no test failed: exit code 1";
  const problem = ownTestResults(
    answer({ passed: 1, failed: 1 }),
    details([{ name: "a", status: "passed" }], [{ message, isBeforeTests: false }]),
  );
  t.match(problem.map(({ verdict }) => verdict), [{ status: "failed", message }, { status: "passed" }]);
  const begun = ownTestResults(
    answer({ passed: 1 }),
    details([{ name: "a", status: "passed" }, { name: "b", status: "not_finished" }]),
  );
  t.same(begun.map(({ verdict }) => verdict.status), ["passed", "failed"]);
  const lost = ownTestResults(answer({ passed: 1, failed: 3 }), details([{ name: "a", status: "passed" }]));
  t.match(lost.at(-1)!.verdict, { status: "failed", message: /^3 more own tests failed/ });
  t.end();
});

t.test("of very many tests failures are kept, and the others counted", (t) => {
  const tests = Array.from({ length: 12_000 }, (_, at): ProjectTest => ({
    name: `test ${at}`,
    status: at === 11_999 ? "failed" : "passed",
  }));
  const results = ownTestResults(answer({ passed: 11_999, failed: 1 }), details(tests));
  t.equal(results.length, 10_001);
  t.equal(results.filter(({ verdict }) => verdict.status === "failed").length, 1);
  t.match(results.at(-1)!.verdict, { status: "passed", note: /^2000 more own tests/ });
  t.end();
});

t.test("of very many failures the first are told in full", (t) => {
  const tests = Array.from({ length: 300 }, (_, at): ProjectTest => ({
    name: `test ${at}`,
    status: "failed",
    message: "x".repeat(10_000),
    output: "said",
  }));
  const results = ownTestResults(answer({ failed: 300 }), details(tests));
  t.match(results[0], { verdict: { message: /^x{10000}$/ }, output: "said" });
  t.match(results[299], { verdict: { status: "failed", category: "wrong-output" }, output: "" });
  t.ok(results[299]!.verdict.message!.length <= 501);
  t.end();
});

t.test("a run that cannot be had is a failure with the next step; an error of the surroundings is none", (t) => {
  const missing = new PthError("TOOLCHAIN_MISSING", "Cannot run the tests: cargo needs cargo", {
    next: ["Install cargo"],
  });
  t.match(withOwnIds(ownTestsNotRun(missing, "cargo")), [{
    test: { id: "own:own-tests-the-run", own: { framework: "cargo" } },
    verdict: { status: "failed", category: "dependency-error", message: /cargo needs cargo\nInstall cargo/ },
  }]);
  const late = Object.assign(new Error("Cannot plan the tests: it took too long"), { name: "TimeoutError" });
  t.match(ownTestsNotRun(late, undefined), [{ verdict: { status: "failed", category: "timeout" } }]);
  const lost = new PthError("ENVIRONMENT_LOST", "The environment is gone");
  t.throws(() => ownTestsNotRun(lost, undefined), lost);
  t.match(ownTestsSkipped("not run: cancelled", undefined), [{
    verdict: { status: "skipped", note: "not run: cancelled" },
  }]);
  t.end();
});
