import t from "tap";
import { drawnOrder, longestFirst, planJobs } from "../../../scripts/testing/plan_jobs.ts";
import { readDirectives } from "../../../scripts/testing/test_file.ts";
import { expectedSeconds } from "../../../scripts/testing/test_times.ts";

const unit = (name: string, text = "") => readDirectives(`test/src/${name}_test.ts`, text);
const integration = (name: string, text = "") => readDirectives(`test/integration/${name}_test.ts`, text);
const names = (jobs: readonly { files: readonly { path: string }[] }[]) =>
  jobs.map(({ files }) => files.map(({ path }) => path.replace(/^.*\/|_test\.ts$/g, "")).join(" "));

t.test("unit test files share a process until it has enough; others have their own", (t) => {
  const files = [unit("a"), unit("b", "// test: own-process\n"), integration("c"), unit("d"), unit("e")];
  const jobs = planJobs(files, "deno", ({ path }) => path.includes("/e_") ? 11 : 1);
  t.same(names(jobs), ["a d", "b", "c", "e"]);
  t.equal(planJobs(Array.from({ length: 61 }, (_, at) => unit(`f${at}`)), "node", () => 0).length, 3);
  t.end();
});

t.test("the job that takes longest comes first, by what its files took the last time", (t) => {
  const files = [
    integration("quick"),
    integration("said", "// test: timeout=240\n"),
    integration("long"),
    unit("a"),
  ];
  const times = { "deno test/integration/long_test.ts": 99, "deno test/integration/quick_test.ts": 0.2 };
  const seconds = (file: typeof files[0] & object) => expectedSeconds(times, file, "deno");
  t.same(names(longestFirst(planJobs(files, "deno", seconds), seconds)), ["long", "said", "a", "quick"]);
  t.end();
});

t.test("a drawn order is the same for the same seed, holds every file once, and differs for another", (t) => {
  const files = Array.from({ length: 20 }, (_, at) => unit(`f${at}`));
  t.same(drawnOrder(files, "1"), drawnOrder(files, "1"));
  t.notSame(drawnOrder(files, "1"), drawnOrder(files, "2"));
  t.same(new Set(drawnOrder(files, "1")), new Set(files));
  t.end();
});
