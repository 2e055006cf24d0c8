import { join } from "node:path";
import t, { type Test } from "tap";
import { runCli } from "../../../src/cli/main.ts";
import { makeTempDir, readTextFile, removeIfExists, writeTextFile } from "../../../src/platform/files.ts";
import { toReport } from "../../../src/testing/report/report.ts";
import type { FinishedRun } from "../../../src/testing/reporter.ts";
import { fullRun } from "../testing/reporters/full_run.ts";
import { finished } from "../testing/reporters/recorded_run.ts";
import { keptContext, scriptedHarness } from "./scripted_harness.ts";

async function pth(...args: string[]) {
  const played = scriptedHarness();
  const kept = keptContext(played);
  const exitCode = await runCli(["report", ...args], kept.context);
  t.same(played.calls, [], "no session is started");
  return { exitCode, stdout: kept.stdout(), stderr: kept.stderr() };
}

async function folderWith(t: Test, runs: Record<string, FinishedRun>): Promise<(name: string) => string> {
  const folder = await makeTempDir({ prefix: "pth-report-" });
  t.teardown(() => removeIfExists(folder));
  for (const [name, run] of Object.entries(runs)) {
    await writeTextFile(join(folder, name), JSON.stringify(toReport(run), null, 2));
  }
  return (name) => join(folder, name);
}

const results = fullRun.report!.results;
const shard = (index: number): FinishedRun => ({
  ...fullRun,
  shard: { index, of: 2 },
  report: { ...fullRun.report!, results: results.filter((_, at) => at % 2 === index - 1) },
});

t.test("merge writes one report of all parts, and ends as the worst of them", async (t) => {
  const at = await folderWith(t, { "1.json": shard(1), "2.json": shard(2) });
  const { exitCode, stdout } = await pth(
    "merge",
    at("1.json"),
    at("2.json"),
    "--output",
    at("all.json"),
    "--reporter",
    `html:${at("all.html")}`,
  );
  t.equal(exitCode, 1);
  t.match(stdout, "6 tests: 2 passed, 2 failed, 1 skipped, 1 flaky");
  t.match(JSON.parse(await readTextFile(at("all.json"))), { summary: { total: 6 }, exit_code: 1 });
  t.match(await readTextFile(at("all.html")), "2 of 6 tests failed");
});

t.test("merge tells which part is missing, and is exit 2", async (t) => {
  const at = await folderWith(t, { "1.json": shard(1) });
  const { exitCode, stderr } = await pth("merge", at("1.json"), "--output", at("all.json"));
  t.equal(exitCode, 2);
  t.match(stderr, "part 2 of 2 is missing");
  t.equal(
    JSON.parse(await readTextFile(at("all.json"))).summary.total,
    3,
    "what is there is merged all the same",
  );
});

t.test("show writes a report in another form, and is exit 0", async (t) => {
  const at = await folderWith(t, { "r.json": finished });
  const { exitCode, stdout } = await pth("show", at("r.json"), "--reporter", "markdown");
  t.equal(exitCode, 0);
  t.match(stdout, "### ❌ 1 of 5 tests failed");
});

t.test("wrong use is told at once, and nothing is written", async (t) => {
  const at = await folderWith(t, { "r.json": finished });
  await writeTextFile(at("bad.json"), '{\n  "schema": "pth-report/1"\n}');
  await writeTextFile(at("worse.json"), "no json");
  const { plugin: _plugin, ...unknown } = finished.report!;
  const other = { ...finished, report: { ...unknown, source: { name: "other", source: "./other" } } };
  await writeTextFile(at("other.json"), JSON.stringify(toReport(other)));

  const both = await pth("merge", at("bad.json"), at("worse.json"), "--output", at("out.json"));
  t.equal(both.exitCode, 2);
  t.match(both.stderr, /bad\.json:\d+:\d+ plugin: expected a map, is missing/);
  t.match(both.stderr, /worse\.json:1:1 not valid/);
  const strangers = await pth("merge", at("r.json"), at("other.json"), "--output", at("out.json"));
  t.equal(strangers.exitCode, 2);
  t.match(strangers.stderr, "they belong to different plugins: sample");
  await t.rejects(readTextFile(at("out.json")));

  const absent = await pth("show", at("absent.json"));
  t.equal(absent.exitCode, 2);
  t.match(absent.stderr, "there is no file");
  t.match((await pth("show", at("r.json"), at("r.json"))).stderr, "show takes one report");
  t.match((await pth("shwo", at("r.json"))).stderr, "merge, show");
  t.match((await pth("show", at("r.json"), "--reporter", "htlm")).stderr, 'did you mean "html"');
});
