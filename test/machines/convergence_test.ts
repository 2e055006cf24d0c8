import t from "tap";
import { assessConvergence, staleIterations } from "../../machines/iteration/assess_convergence.ts";
import { beginIteration, draftOf } from "../../machines/iteration/iteration_state.ts";
import type { IterationRecord, TestStatuses, TestStatusSummary } from "../../machines/model/iteration.ts";

const all = ["a", "b", "c", "d", "e"];

/** Where the tests stand when those named fail; "!" is a plugin that does not load. */
function standing(failing: string): TestStatusSummary {
  const names = failing === "!" ? [] : [...failing];
  return {
    total: all.length,
    passed: failing === "!" ? 0 : all.length - names.length,
    skipped: 0,
    failing: names.map((name) => ({ id: name, name: `test ${name}` })),
    ...(failing === "!" ? { loadError: "Cannot build plugin: exited with 2" } : {}),
  };
}

const statusesOf = ({ failing }: TestStatusSummary): TestStatuses =>
  Object.fromEntries(
    all.map((id) => [id, failing.some((test) => test.id === id) ? "failed" as const : "passed" as const]),
  );

/** One record for each step of a story such as "abc ab a". */
function story(steps: string, files: (iteration: number) => string[] = () => []): IterationRecord[] {
  const standings = steps.split(" ").map((step) => standing(step === "-" ? "" : step));
  return standings.slice(1).map((after, index) => {
    const statuses = { before: statusesOf(standings[index]!), after: statusesOf(after) };
    const turn = { ...beginIteration(index + 1, standings[index]!), after, statuses };
    const fixes = [{ commit: `${index + 1}`.repeat(40), title: "change", files: files(index + 1) }];
    return { ...draftOf(turn), fixes, at: "", health: [] };
  });
}

const trendOf = (steps: string) => assessConvergence(story(steps)).trend;

t.test("fewer failures than before are an improvement, none are green", (t) => {
  t.equal(assessConvergence([]).trend, "untested");
  t.equal(trendOf("abc ab"), "improving");
  t.equal(trendOf("abc ab a -"), "green");
  t.same(assessConvergence(story("abc ab a")).progress, [2, 3, 4]);
  t.match(assessConvergence(story("abc ab")).reason, "2 tests fail, 3 did before");
  t.end();
});

t.test("a plugin that loads at last is an improvement, one that does not any more a regression", (t) => {
  t.equal(trendOf("! abcde"), "improving");
  t.equal(trendOf("ab !"), "regressing");
  t.match(assessConvergence(story("ab !")).reason, "does not load any more");
  t.equal(trendOf("! !"), "plateau");
  t.end();
});

t.test("the same failures over and over are a plateau that says for how long", (t) => {
  const { trend, reason } = assessConvergence(story("abc ab ab ab"));
  t.equal(trend, "plateau");
  t.equal(reason, "same 2 tests failing for 2 iterations");
  t.equal(assessConvergence(story("a a")).reason, "same test failing for 1 iteration");
  t.end();
});

t.test("tests that break while as few are mended are a regression, with their names and the commits", (t) => {
  const { trend, reason, suggestion } = assessConvergence(story("a bc"));
  t.equal(trend, "regressing");
  t.match(reason, "2 tests fail that passed before: test b, test c");
  t.match(suggestion, /Take back .*1111111111/);
  t.end();
});

t.test("a test that comes back is an oscillation, unless fewer fail than back then", (t) => {
  t.equal(trendOf("a b a"), "oscillating");
  t.match(assessConvergence(story("a b a")).reason, "test a came back");
  t.equal(trendOf("abcd bcd a"), "improving");
  t.equal(trendOf("a ! a ! a"), "oscillating");
  t.equal(trendOf("a b a b"), "oscillating");
  t.end();
});

t.test("iterations without progress count from the best one", (t) => {
  t.equal(staleIterations([]), 0);
  t.equal(staleIterations(story("abc ab")), 0);
  t.equal(staleIterations(story("abc ab ab abc")), 2);
  t.equal(staleIterations(story("a a a a")), 3);
  t.end();
});

t.test("a plateau suggests what the root causes or the files of the fixes show", (t) => {
  const group = {
    id: "g",
    category: "runtime-exception",
    cause: "null in lib/x.js",
    testIds: ["a", "b", "c"],
  } as const;
  const shared = assessConvergence(story("abc abc"), [{ ...group, testIds: [...group.testIds] }]);
  t.match(shared.suggestion, "The 3 failures have one root cause: null in lib/x.js");
  t.match(assessConvergence(story("a a a a", () => ["x.js"])).suggestion, "x.js was fixed 3 times");
  const growing = story(
    "a a a a",
    (iteration) => all.slice(0, iteration).map((name) => `${name}${iteration}.js`),
  );
  t.match(assessConvergence(growing).suggestion, "more and more files (1, 2, 3)");
  t.end();
});
