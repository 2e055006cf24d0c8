// test: timeout=400
/** Fixes over MCP: a real client, a real repository, a plugin that runs in a sandbox (and once on the host). */
import { execFileSync } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import t, { type Test } from "tap";
import type { FixHistory, FixRecord } from "../../../machines/model/fix.ts";
import { openSessionClient } from "../../support/session_client.ts";
import { adderServer } from "../../support/small_server.ts";

const slow = { timeout: 380_000 };
t.setTimeout(slow.timeout);

const { folder, call, succeed } = await openSessionClient(t);

async function refused(t: Test, code: string, name: string, input: Record<string, unknown> = {}) {
  const answer = await call(name, input);
  t.ok(answer.isError, `${name} is refused`);
  t.match(answer.text, `[${code}]`);
  return answer;
}

const wrong = "export const add = ({ a, b }) =>\r\n  a - b;\r\n";

async function writePlugin(name: string): Promise<string> {
  const files: Record<string, string> = {
    "package.json": '{"name":"adder","version":"1.0.0","type":"module"}\n',
    ".mcp.json": '{"mcpServers":{"adder":{"command":"node","args":["server.mjs"]}}}\n',
    ".pth/tests/adds.yaml":
      'name: adds two numbers\ntool: add\ninput: {a: 2, b: 3}\nexpect: {output_equals: "5"}\n',
    "server.mjs": adderServer,
    "add.mjs": wrong,
  };
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name, path)), { recursive: true });
    await writeFile(join(folder, name, path), text);
  }
  return join(folder, name);
}

const git = (path: string, ...args: string[]) =>
  execFileSync("git", ["-C", path, "-c", "user.name=t", "-c", "user.email=t@example.org", ...args], {
    encoding: "utf8",
  });

async function begin(t: Test, pluginPath: string, runtime: string): Promise<void> {
  await succeed(t, "pth_start_session", { pluginPath });
  await succeed(t, "pth_provision_environment", { runtime });
  await succeed(t, "pth_load_plugin");
}

const verdict = async (t: Test) => {
  const { data } = await succeed(t, "pth_run_test_suite");
  return (data["summary"] as { passed: number; failed: number });
};

const right = { path: "add.mjs", find: "=>\n  a - b;", replace: "=>\n  a + b;" };

t.test("a failing test is fixed, reverted, fixed again; the branch tells the story", slow, async (t) => {
  const path = await writePlugin("my adder");
  git(path, "init", "--quiet", "--initial-branch=main");
  git(path, "add", "--all");
  git(path, "commit", "--quiet", "--message=first");
  await writeFile(join(path, ".git/hooks/pre-commit"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
  git(path, "config", "commit.gpgsign", "true");
  git(path, "config", "gpg.program", "/bin/false");
  const author =
    () => [git(path, "status", "--porcelain", "--branch"), git(path, "rev-parse", "main", "HEAD")];
  const before = author();

  await begin(t, path, "sandbox");
  t.match(await verdict(t), { passed: 0, failed: 1 });

  await t.test("what does not apply, or must not be, changes nothing", async (t) => {
    const bad = await refused(t, "EDIT_FAILED", "pth_apply_fix", {
      title: "add",
      edits: [right, { path: "add.mjs", find: "a * b", replace: "" }],
    });
    t.match(bad.text, /edit 2 \(add.mjs\): `find` occurs 0 times/);
    await refused(t, "EDIT_FAILED", "pth_apply_fix", {
      title: "x",
      edits: [{ path: "../../outside", content: "x" }],
    });
    const shape = await refused(t, "INVALID_INPUT", "pth_apply_fix", { title: "x", edits: [{ path: "a" }] });
    t.match(shape.text, "{ path, content }");
    await refused(t, "NO_SUCH_COMMIT", "pth_revert_fix", { commit: "deadbeef" });
    t.match((await succeed(t, "pth_get_fix_history")).data, { commits: [], total: 0 });
    t.match((await succeed(t, "pth_diff_session")).data, { files: [] });
  });

  const applied = await succeed(t, "pth_apply_fix", {
    tests: ["adds-two-numbers"],
    category: "wrong-output",
    title: "add instead of subtracting",
    body: "The sign was wrong.",
    edits: JSON.stringify([right]),
    reload: true,
  });
  const fix = applied.data["fix"] as FixRecord;
  t.match(fix, { tests: ["adds two numbers"], files: ["add.mjs"], category: "wrong-output" });
  t.match(await verdict(t), { passed: 1, failed: 0 });
  t.equal(git(path, "show", `${fix.commit}:add.mjs`), wrong.replace("-", "+"), "line ends are kept");

  const reverted = await succeed(t, "pth_revert_fix", { commit: fix.commit.slice(0, 10), reload: true });
  t.match(reverted.data, { revert: { reverts: fix.commit }, rolledBack: false });
  t.match(await verdict(t), { failed: 1 });

  await succeed(t, "pth_apply_fix", { tests: ["adds-two-numbers"], title: "add again", edits: [right] });
  t.match(await verdict(t), { failed: 1 }, "the old server runs until it is reloaded");
  await succeed(t, "pth_reload_plugin");
  t.match(await verdict(t), { failed: 0 });

  const history = await succeed(t, "pth_get_fix_history", { test: "adds-two-numbers" });
  const { total, patterns } = history.data as unknown as FixHistory;
  t.equal(total, 3);
  t.match(patterns, { oscillating: [{ test: "adds two numbers" }], repeated: [{ file: "add.mjs" }] });
  t.match(history.text, "Back and forth: adds two numbers");
  const together = [
    succeed(t, "pth_get_fix_history", { file: "server.mjs" }),
    succeed(t, "pth_diff_session", { stat: true }),
    succeed(t, "pth_get_fix_history", { category: "wrong-output" }),
  ];
  t.match((await Promise.all(together)).map(({ data }) => data["commits"]), [[], 3, [{}, {}]]);

  const louder = { path: "add.mjs", find: "a + b;", replace: "Number(a) + Number(b);" };
  const later = await succeed(t, "pth_apply_fix", { title: "convert", edits: [louder] });
  const conflict = await refused(t, "REVERT_CONFLICT", "pth_revert_fix", { commit: fix.commit });
  t.match(conflict.text, /<<<<<<< now\n {2}Number\(a\)[^]*fix: convert/);
  t.match(conflict.data["error"], { conflicts: [{ path: "add.mjs" }] });
  await succeed(t, "pth_revert_fix", { commit: (later.data["fix"] as FixRecord).commit });

  const broken = await call("pth_apply_fix", {
    title: "break it",
    edits: [{ path: "server.mjs", find: "import { add }", replace: "import { ad }" }],
    reload: true,
  });
  t.ok(broken.isError);
  t.match(broken.text, /The fix [0-9a-f]{10} is committed, but the plugin does not load with it/);
  const commit = (broken.data["error"] as { commit: string }).commit;
  await succeed(t, "pth_revert_fix", { commit, reload: true });
  t.match(await verdict(t), { failed: 0 });

  const diff = await succeed(t, "pth_diff_session");
  t.match(diff.data, { commits: 7, files: [{ path: "add.mjs", added: 1, removed: 1 }] });
  t.match(diff.text, "+  a + b;");

  const ended = await succeed(t, "pth_end_session");
  t.match(ended.data, { branchKept: true, changes: { files: Number, added: Number, removed: 1 } });
  t.ok(Number(ended.data["commits"]) >= 7, "a report may be among them");
  t.match(ended.text, /\d files? changed, \d+ lines? added, 1 removed/);
  t.strictSame(author(), before, "the author's checkout is as it was");
  t.match(git(path, "show", `${ended.data["branch"]}:add.mjs`), "a + b");
});

for (const runtime of ["sandbox", "docker"]) {
  t.test(`a fix with a snapshot is rolled back in ${runtime}, too`, slow, async (t) => {
    const path = await writePlugin(`gated in ${runtime}`);
    git(path, "init", "--quiet");
    git(path, "add", "--all");
    git(path, "commit", "--quiet", "--message=first");
    await succeed(t, "pth_start_session", { pluginPath: path });
    const provisioned = await call("pth_provision_environment", { runtime });
    if (/\[(RUNTIME_UNAVAILABLE|IMAGE_MISSING)\]/.test(provisioned.text)) {
      t.pass(`${runtime} is not ready here`, { skip: provisioned.text });
      await succeed(t, "pth_end_session");
      return;
    }
    t.notOk(provisioned.isError, provisioned.text);
    await succeed(t, "pth_load_plugin");
    const exec = async (command: string) =>
      (await succeed(t, "pth_exec_in_environment", { command })).data as { stdout: string };
    await exec("echo before > /etc/pth-marker");
    const applied = await succeed(t, "pth_apply_fix", {
      title: "add",
      edits: [right],
      snapshot: true,
      reload: true,
    });
    const { commit } = applied.data["fix"] as FixRecord;
    await exec("echo after > /etc/pth-marker; touch /usr/local/installed");
    t.match(await verdict(t), { failed: 0 });
    const reverted = await succeed(t, "pth_revert_fix", { commit });
    t.match(reverted.data, { rolledBack: true, lostSnapshot: false });
    t.match(await exec("cat /etc/pth-marker; ls /usr/local/installed 2>&1"), {
      stdout: /^before\n.*No such file/,
    });
    t.match(await verdict(t), { failed: 1 }, "the plugin runs again, without the fix");
    await succeed(t, "pth_end_session");
  });
}

t.test(
  "a plugin without git gets a repository with its first fix; secrets stay out of it",
  slow,
  async (t) => {
    const path = await writePlugin("no git");
    await begin(t, path, "host");
    await succeed(t, "pth_load_plugin", { configValues: { TOKEN: "tok-3n-secret" } });
    await refused(t, "INVALID_INPUT", "pth_apply_fix", {
      title: "log in",
      edits: [{ path: "token.txt", content: "tok-3n-secret" }],
    });
    const gate = await refused(t, "UNSUPPORTED", "pth_apply_fix", {
      title: "x",
      edits: [right],
      snapshot: true,
    });
    t.match(gate.text, "snapshot: false");
    await succeed(t, "pth_apply_fix", { title: "add", edits: [right], reload: true });
    t.match(await verdict(t), { failed: 0 });
    const { data, text } = await succeed(t, "pth_end_session");
    t.match(data, { branchKept: true, commits: Number, changes: { files: Number } });
    t.match(text, `It is in ${data["repository"]}`);
    const shown = git(data["repository"] as string, "show", `${data["branch"]}:add.mjs`);
    t.match(shown, "a + b");
    t.equal(await readFile(join(path, "add.mjs"), "utf8"), wrong, "the author's file is as it was");
  },
);
