/** `pth hook test` on a harness that plays what the hooks come to. */
import { join } from "node:path";
import process from "node:process";
import t, { type Test } from "tap";
import type { HookRunRequest, HookRunResult } from "../../../../machines/model/hook_run.ts";
import type { RequestOptions } from "../../../../src/api/harness.ts";
import { runCli } from "../../../../src/cli/main.ts";
import { PthError } from "../../../../src/core/errors.ts";
import { mkdir, readTextFile, writeTextFile } from "../../../../src/platform/files.ts";
import { reportSchema } from "../../../../src/testing/report/report_schema.ts";
import { temporaryFolder } from "../../../support/temporary_folder.ts";
import { keptContext, scriptedHarness } from "../scripted_harness.ts";

/** A plugin with one hook at `Stop`, and a test for each name; the payload carries the name to the hook. */
async function pluginWith(t: Test, ...names: string[]): Promise<string> {
  const folder = await temporaryFolder(t);
  await mkdir(join(folder, "hooks"));
  const hooks = { Stop: [{ hooks: [{ type: "command", command: "judge" }] }] };
  await writeTextFile(join(folder, "hooks/hooks.json"), JSON.stringify({ hooks }));
  const tests = names.map((name) => ({
    name,
    event: "Stop",
    payload: { test: name },
    ...(name.startsWith("later") ? { skip: "not today" } : {}),
    expect: { decision: "none" },
  }));
  await writeTextFile(join(folder, "judge.hooks.yaml"), JSON.stringify({ tests }));
  return folder;
}

/** Exit code of the hook by the test's name and attempt. */
type Play = (name: string, attempt: number) => number | "hangs" | "breaks";

async function pth(args: string[], play: Play = () => 0) {
  const played = scriptedHarness();
  const kept = keptContext(played);
  const ran: string[] = [];
  const session = {
    ...played.harness.session(),
    agents: {
      async runHooks({ payload, hooks }: HookRunRequest, { signal }: RequestOptions = {}) {
        const name = String(payload["test"]);
        ran.push(name);
        const exitCode = play(name, ran.filter((each) => each === name).length);
        if (exitCode === "breaks") throw new PthError("RUNTIME_UNAVAILABLE", "Cannot run: it is gone");
        if (exitCode === "hangs") {
          kept.interrupt("SIGTERM");
          return await new Promise<HookRunResult>((_, reject) => reject(signal!.reason));
        }
        const known = { durationMs: 3, timedOut: false, stdout: "", stderr: exitCode === 0 ? "" : "<no>\n" };
        return { payload, runs: hooks.map(({ id }) => ({ id, exitCode, ...known })), changes: [] };
      },
    },
  };
  Object.assign(played.harness, { session: () => session });
  const exitCode = await runCli(["hook", "test", ...args, "--env", "host"], kept.context);
  return { exitCode, stdout: kept.stdout(), stderr: kept.stderr(), ran, calls: played.calls };
}

async function ownHistory(t: Test): Promise<void> {
  const before = process.env["PTH_HISTORY_DIR"];
  process.env["PTH_HISTORY_DIR"] = await temporaryFolder(t);
  t.teardown(() => {
    if (before === undefined) delete process.env["PTH_HISTORY_DIR"];
    else process.env["PTH_HISTORY_DIR"] = before;
  });
}

t.test("what is wrong with the options is told at once, and nothing starts", async (t) => {
  const { exitCode, stderr, calls } = await pth([
    ...[".", "--reporter", "junitt", "--reporter", "tap", "--json", "--grep", "(", "--retries", "x"],
    ...["--shard", "1/2", "--last-failed", "--output", "/dev/null/x"],
  ]);
  t.equal(exitCode, 2);
  for (
    const problem of [
      'did you mean "junit"',
      "--json: a reporter already writes to stdout",
      "--grep: Invalid regular expression",
      "--retries expects a whole number",
      "--last-failed cannot be combined with --shard",
      "--output: cannot write to /dev/null/x",
    ]
  ) t.match(stderr, problem);
  t.same(calls, []);
  const kept = keptContext(scriptedHarness());
  const fire = ["hook", "fire", ".", "Stop", "--last-failed", "--output", "x", "--env", "host"];
  t.equal(await runCli(fire, kept.context), 2);
  t.match(kept.stderr(), "--last-failed is for pth hook test");
  t.match(kept.stderr(), "--output is for pth hook test");
});

t.test("tests are chosen by their names and by parts; a part without one is no failure", async (t) => {
  await ownHistory(t);
  const plugin = await pluginWith(t, "a1", "a2", "b1");
  t.same((await pth([plugin, "--grep", "^a"])).ran, ["a1", "a2"]);
  const second = await pth([plugin, "--shard", "2/2"]);
  t.same(second.ran, ["a2"]);
  t.match(second.stderr, "Part 2 of 2: 1 of 3 tests.");
  const empty = await pth([plugin, "--shard", "4/4"]);
  t.same([empty.exitCode, empty.ran, empty.calls], [0, [], []]);
  const none = await pth([plugin, "--grep", "c"]);
  t.equal(none.exitCode, 2);
  t.match(none.stderr, /none fits \/c\/[^]*Tests that exist: a1, a2, b1/);
});

t.test("what failed or was flaky last time alone runs with --last-failed", async (t) => {
  await ownHistory(t);
  const plugin = await pluginWith(t, "good", "bad", "odd");
  const play: Play = (name, attempt) => name === "bad" || (name === "odd" && attempt === 1) ? 2 : 0;
  const first = await pth([plugin, "--last-failed", "--retries", "1"], play);
  t.equal(first.exitCode, 1);
  t.match(first.stderr, "No earlier run of these files is known on this machine: all tests run.");
  t.same((await pth([plugin, "--last-failed"])).ran, ["bad", "odd"]);
  t.match((await pth([plugin, "--last-failed"])).stderr, "No test failed last time: all tests run.");
});

t.test("a test that passes when it runs again is flaky, and fails nothing", async (t) => {
  await ownHistory(t);
  const plugin = await pluginWith(t, "odd");
  const { exitCode, stdout, ran } = await pth(
    [plugin, "--retries", "2"],
    (_, attempt) => attempt < 3 ? 2 : 0,
  );
  t.equal(exitCode, 0);
  t.same(ran, ["odd", "odd", "odd"]);
  t.match(stdout, /~ odd .*\n {6}failed 2 of 3 runs.*\n {6}decision/);
  t.match(stdout, "1 test: 0 passed, 0 failed, 1 flaky");
  const failed = await pth([plugin, "--retries", "1"], () => 2);
  t.equal(failed.exitCode, 1);
  t.match(failed.stdout, /✖ odd .*\n {6}failed 2 of 2 runs; with earlier ones of the same source 4 of 5/);
});

t.test("after enough failures no other test runs, and the rest is told as not run", async (t) => {
  await ownHistory(t);
  const plugin = await pluginWith(t, "a", "b", "later");
  const { exitCode, stdout, ran } = await pth([plugin, "--fail-fast"], () => 2);
  t.equal(exitCode, 1);
  t.same(ran, ["a"]);
  t.match(stdout, /- b\n {6}the run was to stop after 1 failed\n {2}- later\n {6}not today\n/);
  const skipped = await pluginWith(t, "later");
  const none = await pth([skipped]);
  t.same([none.exitCode, none.calls], [1, []], "tests of which none ran prove nothing");
});

t.test("every reporter writes the results, and --output takes a report and JUnit", async (t) => {
  await ownHistory(t);
  const plugin = await pluginWith(t, "good", "bad", "later");
  const play: Play = (name) => name === "bad" ? 2 : 0;
  const out = join(await temporaryFolder(t), "out");
  const { exitCode, stdout } = await pth(
    [plugin, "--reporter", "tap", "--reporter", `html:${out}/page.html`, "--output", out],
    play,
  );
  t.equal(exitCode, 1);
  t.match(stdout, /^TAP version 14\n/);
  t.match(stdout, /\nok 1 - .*good/);
  t.match(stdout, /\nnot ok 2 - .*bad/);
  t.match(stdout, /\nok 3 - .*later # SKIP not today/);
  const report = reportSchema.parse(JSON.parse(await readTextFile(join(out, "report.json"))));
  t.match(report, {
    summary: { total: 3, passed: 1, failed: 1, skipped: 1 },
    exit_code: 1,
    tests: [
      { id: "judge.hooks.yaml: good" },
      { message: /^decision.*\nstderr of judge:\n.*<no>/, line: 1 },
      {},
    ],
  });
  const junit = await readTextFile(join(out, "junit.xml"));
  t.match(junit, 'tests="3" failures="1"');
  t.match(junit, "&lt;no&gt;");
  t.match(await readTextFile(join(out, "page.html")), "&lt;no&gt;");
  const github = await pth([plugin, "--reporter", "github"], play);
  t.match(github.stdout, /::error title=bad::decision/);
});

t.test("an interruption, and an environment that breaks, leave the results before them in the report", async (t) => {
  await ownHistory(t);
  const plugin = await pluginWith(t, "good", "bad", "more");
  const stopped = await pth([plugin, "--reporter", "json"], (name) => name === "bad" ? "hangs" : 0);
  t.equal(stopped.exitCode, 143);
  t.equal(stopped.calls.at(-1)!.name, "endSession");
  t.match(JSON.parse(stopped.stdout), {
    exit_code: 143,
    summary: { passed: 1, skipped: 2 },
    tests: [{}, { note: "the run ended before it" }, {}],
  });
  const broken = await pth([plugin, "--reporter", "json"], (name) => name === "bad" ? "breaks" : 0);
  t.equal(broken.exitCode, 3);
  t.match(broken.stderr, "Cannot run: it is gone");
  const { error, summary } = reportSchema.parse(JSON.parse(broken.stdout));
  t.match(error, { code: "RUNTIME_UNAVAILABLE" });
  t.match(summary, { passed: 1, skipped: 2 });
});

t.test("hooks whose answers the decisions lack are named beside the verdict", async (t) => {
  await ownHistory(t);
  const plugin = await pluginWith(t, "a", "b");
  const stop = [{
    hooks: [{ type: "command", command: "judge" }, { type: "prompt", prompt: "May it end?" }],
  }];
  await writeTextFile(join(plugin, "hooks/hooks.json"), JSON.stringify({ hooks: { Stop: stop } }));
  const told = /Not tested: hooks\/hooks\.json:1 prompt: hooks of type prompt are not run \(2 tests\)/;
  const { exitCode, stdout } = await pth([plugin]);
  t.equal(exitCode, 0);
  t.match(stdout, told);
  const { notes } = reportSchema.parse(JSON.parse((await pth([plugin, "--reporter", "json"])).stdout));
  t.match(notes, [told]);
});
