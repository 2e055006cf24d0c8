// test: timeout=200
/** `pth perf`, and the phases of `pth run` that lint and measure. */
import { cp } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { readTextFile, removeIfExists, writeTextFile } from "../../../src/platform/files.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";
import { pth, root } from "../../support/pth.ts";

t.setTimeout(180_000);

const folder = await temporaryFolder(t);
const env = { PTH_HOME: join(folder, "home"), PTH_WORKTREE_DIR: join(folder, "worktrees") };
const plugin = join(folder, "plugin");
await cp(join(root, "test/fixtures/perf_server"), plugin, { recursive: true });
// On the host a tool of the fixture writes where other programs see it.
t.teardown(async () => {
  for (let at = 0; at < 12; at++) await removeIfExists(`/tmp/pth-perf-${at}.txt`);
});
const file = (name: string) => join(folder, name);
const chosen = ["--env", "host", "--tool", "slow", "--tool", "plain_one", "--calls", "4"];

t.test("figures are shown, written, and compared with earlier ones", async (t) => {
  const first = await pth(["perf", plugin, ...chosen, "--output", file("first.json")], { env });
  t.equal(first.code, 0, first.stderr);
  t.match(first.stdout, /^tool +p50 ms[^\n]*\nslow +\d{3}/);
  t.match(first.stdout, /- slow: response time \d{3} ms, other tools/);

  const report = JSON.parse(await readTextFile(file("first.json")));
  t.match(report, {
    format: "pth-performance/1",
    calls: 4,
    tools: [{ tool: "plain_one" }, { tool: "slow" }],
  });
  const { responseMs } = report.tools[1];
  t.ok(responseMs.p50 >= 149, `${responseMs.p50}`);
  responseMs.p50 = 30;
  await writeTextFile(file("faster.json"), JSON.stringify(report));
  const again = await pth(["perf", plugin, ...chosen, "--baseline", file("faster.json")], { env });
  t.equal(again.code, 0, again.stderr);
  t.match(again.stdout, /- slow: response time p50 \(ms\) 30 -> \d{3}\S*, \d+\.\d times/);
});

t.test("wrong use is told at once", async (t) => {
  await writeTextFile(file("broken.json"), '{\n  "format": 5\n}');
  const { code, stderr } = await pth(["perf", "--calls", "0", "--baseline", file("broken.json")], { env });
  t.equal(code, 2);
  t.match(stderr, /target missing/);
  t.match(stderr, /--calls expects a whole number above 0/);
  t.match(stderr, /broken\.json:2:13 format/);
  const missing = await pth(["perf", plugin, "--baseline", file("none.json")], { env });
  t.match(missing.stderr, /--baseline .*none\.json: there is no such file/);
});

t.test("a run with --lint and --performance has both in its report", async (t) => {
  await writeTextFile(
    file("one.yaml"),
    "name: one\ntool: plain_one\ntier: 1\ninput: {}\nexpect:\n  success: true\n",
  );
  const args = ["run", plugin, "--env", "sandbox", "--tests", file("one.yaml"), "--lint", "--performance"];
  const { code, stderr } = await pth([...args, "--output", file("out")], { env });
  if (/RUNTIME_UNAVAILABLE/.test(stderr)) return void t.pass("no sandbox here", { skip: stderr });
  t.equal(code, 0, stderr);
  const report = JSON.parse(await readTextFile(file("out/report.json")));
  t.ok(JSON.stringify(report).includes("memory_keeper"));
  t.ok(report.performance, "performance");
});
