import t from "tap";
import { describeTotals } from "../../../scripts/testing/report.ts";
import { mostRunAgain, runFailedAgain } from "../../../scripts/testing/run_again.ts";
import type { FileRun } from "../../../scripts/testing/run_batch.ts";
import { readDirectives } from "../../../scripts/testing/test_file.ts";

const run = (name: string, failed: number): FileRun => ({
  file: readDirectives(`test/src/${name}_test.ts`, ""),
  platform: "deno",
  durationMs: 1,
  passed: 2,
  failed,
  skipped: [],
  failures: Array.from({ length: failed }, () => ({ name: `${name} should hold`, details: undefined })),
  stderr: "",
});

t.test("a file that fails once and passes alone is listed as flaky and counts as passed", async (t) => {
  const again: string[] = [];
  const runs = await runFailedAgain([run("a", 0), run("b", 1)], (file) => {
    again.push(file.path);
    return Promise.resolve(run("b", 0));
  });
  t.same(again, ["test/src/b_test.ts"], "what passed does not run again");
  const lines = describeTotals(runs).split("\n");
  t.match(lines[0], /^Flaky \(failed beside others/);
  t.same(lines.slice(1), ["  deno test/src/b_test.ts", "    b should hold", "4 passed, 0 failed"]);
});

t.test("a file that fails twice has failed, and is not called flaky", async (t) => {
  const runs = await runFailedAgain([run("a", 2)], () => Promise.resolve(run("a", 1)));
  t.same(describeTotals(runs).split("\n"), [
    "Failed:",
    "  deno test/src/a_test.ts",
    "    a should hold",
    "2 passed, 1 failed",
  ]);
});

t.test("many failed files are not run again", async (t) => {
  const failed = Array.from({ length: mostRunAgain + 1 }, (_, at) => run(`f${at}`, 1));
  const runs = await runFailedAgain(failed, () => Promise.reject(new Error("was run again")));
  t.same(runs, failed);
});
