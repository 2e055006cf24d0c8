// test: timeout=600
/** What a session hands over, through a real client: README, suite, report, and tests that run on their own in CI. */
import { cp, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import t, { type Test } from "tap";
import { runCommand } from "../../../src/platform/process.ts";
import { copyFixture } from "../../support/fixture_plugin.ts";
import { root } from "../../support/pth.ts";
import { openSessionClient } from "../../support/session_client.ts";

t.setTimeout(550_000);
/** As the exported runner has it. */
const oneServer = { workers: 1 };

/** A fixture as a repository of its own, and a client of PTH's server. */
async function makePlace(t: Test, name: string, packages: "archives" | "vendor") {
  const { folder, succeed } = await openSessionClient(t);
  const plugin = await copyFixture(name, folder, packages);
  const git = async (...args: string[]) => {
    const { code, stdout, stderr } = await runCommand(["git", "-C", plugin, ...args]);
    if (code !== 0) t.fail(`git ${args[0]}: ${stderr}`);
    return stdout;
  };
  await git("init", "-q", "-b", "main");
  await git("add", "-A");
  await git("-c", "user.name=Ada", "-c", "user.email=ada@example.com", "commit", "-qm", "Begin");
  const call = (tool: string, input: Record<string, unknown> = {}) => succeed(t, tool, input);
  return { folder, plugin, git, call };
}

const start = async (
  call: (tool: string, input?: Record<string, unknown>) => Promise<unknown>,
  plugin: string,
) => {
  await call("pth_start_session", { pluginPath: plugin });
  await call("pth_provision_environment", { runtime: "host" });
  await call("pth_load_plugin");
  await call("pth_generate_tests");
};

/** The exported runner as a CI job runs it: what it imports is installed, and PTH is nowhere. */
async function runExported(plugin: string, ...args: string[]) {
  const runner = join(plugin, ".pth/ci/run-tests.mjs");
  return await runCommand(["node", runner, ...args], { cwd: plugin, env: { NODE_PATH: "" } });
}

const install = (plugin: string) =>
  runCommand(["npm", "install", "--prefix", join(plugin, ".pth/ci"), "--no-audit", "--no-fund"], {
    cwd: plugin,
  });

t.test("a session's branch holds README, suite, report and CI, and the runner passes on its own", async (t) => {
  const { folder, plugin, git, call } = await makePlace(t, "sample_plugin", "archives");
  const before = await git("status", "--porcelain", "--branch");
  await start(call, plugin);
  const ran = await call("pth_run_test_suite", oneServer);
  t.match(ran.data, { summary: { failed: 0 } });

  const proposed = await call("pth_update_plugin_docs", { detail: true });
  t.match(proposed.data, { changed: true, path: "README.md" });
  t.match(proposed.text, /^\+### `transform_text`$/m);
  t.match(proposed.text, /^\+HELLO$/m, "a real answer is the example");
  await call("pth_update_plugin_docs", { write: true });
  t.match((await call("pth_update_plugin_docs")).data, { changed: false }, "a second time changes nothing");

  await call("pth_export_ci");
  const again = await call("pth_export_ci");
  t.match(again.data, { written: [] }, "the same tests give the same bytes");
  const ended = await call("pth_end_session");
  const { branch } = ended.data as unknown as { branch: string };
  t.match(ended.text, ".pth/SESSION-REPORT.md");
  t.equal(await git("status", "--porcelain", "--branch"), before, "the author's checkout is as it was");
  const files = (await git("ls-tree", "-r", "--name-only", branch)).split("\n");
  for (const file of [".pth/SESSION-REPORT.md", ".pth/ci/run-tests.mjs", ".github/workflows/pth-tests.yml"]) {
    t.ok(files.includes(file), file);
  }
  const types = await git("log", "--format=%(trailers:key=PTH-Type,valueonly,separator=)", `main..${branch}`);
  t.same(types.trim().split("\n"), ["report", "tests", "tests", "docs"]);

  const alone = join(folder, "alone");
  await git("clone", "-q", "--branch", branch, plugin, alone);
  t.equal((await install(alone)).code, 0, "what the runner imports can be installed");
  const green = await runExported(alone, "--junit", join(alone, "junit.xml"));
  t.equal(green.code, 0, green.stdout + green.stderr);
  const { passed } = (ran.data as unknown as { summary: { passed: number } }).summary;
  t.match(green.stdout, `${passed} passed, 0 failed`);
  t.match(await readFile(join(alone, "junit.xml"), "utf8"), 'failures="0"');

  const source = join(alone, "src/text_tools.ts");
  await writeFile(source, (await readFile(source, "utf8")).replaceAll("toUpperCase", "toLowerCase"));
  const red = await runExported(alone, "--tap");
  t.equal(red.code, 1, "a planted fault fails the job");
  t.match(red.stdout, /^not ok \d+ - .*transform_text/m);

  await writeFile(source, "this is no TypeScript (");
  const broken = await runExported(alone);
  t.equal(broken.code, 2, "a build that fails is no test result");
  t.match(broken.stderr, "Cannot build plugin");
});

t.test("the next session starts from the suite that was kept, without twins", async (t) => {
  const { plugin, git, call } = await makePlace(t, "broken_plugin", "vendor");
  await start(call, plugin);
  const first = await call("pth_list_tests");
  const { branch } = (await call("pth_end_session", { report: true })).data as unknown as { branch: string };
  await git("-c", "user.name=Ada", "-c", "user.email=ada@example.com", "merge", "-q", branch);
  await start(call, plugin);
  const second = await call("pth_list_tests");
  t.equal(second.data.total, first.data.total);
  const end = await call("pth_end_session", { report: true });
  const changed = await git(
    "diff",
    "--name-only",
    "main",
    (end.data as unknown as { branch: string }).branch,
  );
  t.same(changed.trim().split("\n"), [".pth/SESSION-REPORT.md"], "the suite is byte for byte the same");
});

t.test("the runner's verdicts are PTH's own", async (t) => {
  const { folder, plugin, call } = await makePlace(t, "broken_plugin", "vendor");
  await start(call, plugin);
  // The exported runner waits the usual time for the tool that never answers; once is enough.
  await call("pth_run_test_suite", { timeoutSeconds: 5, ...oneServer });
  const { data } = await call("pth_get_test_results", { detail: true });
  const own = (data as unknown as { results: { name: string; status: string }[] }).results;
  const output = join(folder, "exported");
  await call("pth_export_ci", { output });
  await call("pth_end_session");

  await cp(join(output, ".pth"), join(plugin, ".pth"), { recursive: true });
  await symlink(join(root, "node_modules"), join(plugin, ".pth/ci/node_modules"));
  const { code, stdout } = await runExported(plugin, "--tap");
  t.equal(code, 1);
  const points = [...stdout.matchAll(/^(not ok|ok) \d+ - (.*?)( # SKIP.*)?$/gm)];
  const theirs = points.map(([, mark, name, skip]) => {
    const status = skip ? "skipped" : mark === "ok" ? "passed" : "failed";
    return `${name!.replaceAll(/\\([\\#])/g, "$1")}: ${status}`;
  });
  t.ok(own.some(({ status }) => status === "failed"));
  t.same(theirs.sort(), own.map(({ name, status }) => `${name}: ${status}`).sort());
});
