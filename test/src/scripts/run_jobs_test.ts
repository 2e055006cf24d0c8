import { setTimeout as sleep } from "node:timers/promises";
import t from "tap";
import type { Job } from "../../../scripts/testing/plan_jobs.ts";
import { runJobs } from "../../../scripts/testing/run_jobs.ts";
import { readDirectives } from "../../../scripts/testing/test_file.ts";

const job = (name: string, text = ""): Job => ({
  platform: "deno",
  files: [readDirectives(`test/integration/${name}_test.ts`, text)],
});
const vm = "// test: group=vm\n";

/** Runs the jobs, each for 20 ms, and tells which ran at the same time. */
async function timeline(jobs: Job[], workers: number) {
  const running = new Set<string>();
  const begun: string[] = [];
  const together = new Set<string>();
  await runJobs(jobs, workers, async ({ files }) => {
    const name = files[0]!.path.replace(/^.*\/|_test\.ts$/g, "");
    begun.push(name);
    for (const other of running) together.add([name, other].sort().join(" "));
    running.add(name);
    await sleep(20);
    running.delete(name);
  });
  return { begun, together: [...together].sort() };
}

t.test("jobs run in their order, as many at a time as there are workers", async (t) => {
  const { begun, together } = await timeline([job("a"), job("b"), job("c"), job("d")], 2);
  t.same(begun, ["a", "b", "c", "d"]);
  t.match(together, ["a b"]);
  t.same((await timeline([job("a"), job("b")], 1)).together, []);
});

t.test("files of a group run one after the other, beside those of none", async (t) => {
  const { begun, together } = await timeline([
    job("vm1", vm),
    job("vm2", vm),
    job("vm3", vm),
    job("a"),
    job("b"),
  ], 3);
  t.same(begun.toSorted(), ["a", "b", "vm1", "vm2", "vm3"]);
  t.same(begun.slice(0, 3), ["vm1", "a", "b"]);
  t.notOk(together.some((pair) => /vm\d vm\d/.test(pair)), together.join());
});

t.test("the time in which there is no job for all workers any more is told", async (t) => {
  const other = Promise.withResolvers<void>();
  const tailMs = await runJobs([job("a"), job("b")], 2, async ({ files }) => {
    if (files[0]!.path.endsWith("b_test.ts")) return other.resolve();
    await other.promise;
    await sleep(30);
  });
  t.ok(tailMs > 25, `${tailMs} ms`);
  const started = performance.now();
  const withoutTail = await runJobs([job("a")], 1, () => sleep(30));
  t.ok(withoutTail < performance.now() - started - 25, `${withoutTail} ms`);
});

t.test("a job that cannot be run ends the run with its reason", async (t) => {
  await t.rejects(runJobs([job("a")], 2, () => Promise.reject(new Error("interrupted"))), {
    message: "interrupted",
  });
});
