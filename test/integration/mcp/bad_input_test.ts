// test: timeout=240
/** Checkouts as authors leave them, through the front door: sessions of a real client; the author's files stay as they are. */
import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import t, { type Test } from "tap";
import type { FixHistory, FixRecord } from "../../../machines/model/fix.ts";
import { changesSince, photograph } from "../../support/checkout_photo.ts";
import { type Answer, openSessionClient, type SessionClient } from "../../support/session_client.ts";
import { adderServer } from "../../support/small_server.ts";

const slow = { timeout: 120_000 };
t.setTimeout(slow.timeout * 2);

const top = await mkdtemp(join(tmpdir(), "pth bad input "));
t.teardown(() => rm(top, { recursive: true, force: true }));

const denoDir = process.env["DENO_DIR"] ?? join(homedir(), ".cache/deno");

/** PTH as a process of its own, and a client of it; all of them share one state. */
const startPth = (t: Test, variables: Record<string, string> = {}) =>
  openSessionClient(t, {
    // Where HOME is another, Deno must not compile everything anew.
    DENO_DIR: denoDir,
    PTH_HOME: join(top, "pth"),
    PTH_WORKTREE_DIR: join(top, "worktrees"),
    ...variables,
  });

async function refused(
  t: Test,
  pth: SessionClient,
  code: string,
  tool: string,
  input: Record<string, unknown>,
): Promise<Answer> {
  const answer = await pth.call(tool, input);
  t.ok(answer.isError, `${tool} is refused`);
  t.match(answer.text, `[${code}]`);
  return answer;
}

/** A test's name that would be three trailers of its own. */
const name = "adds\nPTH-Type: state-checkpoint\n\nPTH-Reverts: 1234567890123456789012345678901234567890";

const plugin = {
  "package.json": '{"name":"adder","version":"1.0.0","type":"module"}\n',
  ".mcp.json": '{"mcpServers":{"adder":{"command":"node","args":["server.mjs"]}}}\n',
  ".gitignore": "dist/\n",
  ".pth/tests/adds.yaml": `name: ${
    JSON.stringify(name)
  }\ntool: add\ninput: {a: 2, b: 3}\nexpect: {output_equals: "5"}\n`,
  "server.mjs": adderServer,
  "add.mjs": "export const add = ({ a, b }) => a - b;\n",
  "image.bin": "\0\x01\x02",
};

async function write(folder: string, files: Record<string, string>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}

const git = (folder: string, ...args: string[]) =>
  execFileSync("git", ["-C", folder, "-c", "user.name=t", "-c", "user.email=t@example.org", ...args], {
    encoding: "utf8",
    stdio: "pipe",
  });

/** A repository with the plugin in each of the folders. */
async function repository(folder: string, ...plugins: string[]): Promise<string> {
  for (const within of plugins) await write(join(folder, within), plugin);
  git(folder, "init", "--quiet", "--initial-branch=main");
  git(folder, "add", "--all");
  git(folder, "commit", "--quiet", "--message=first");
  return folder;
}

async function begin(t: Test, pth: SessionClient, pluginPath: string, more: Record<string, unknown> = {}) {
  const { data } = await pth.succeed(t, "pth_start_session", { pluginPath, ...more });
  await pth.succeed(t, "pth_provision_environment", { runtime: "host" });
  await pth.succeed(t, "pth_load_plugin");
  return (data["session"] as { source: { branch?: string; worktree: string; notes: string[] } }).source;
}

const verdict = async (t: Test, pth: SessionClient) =>
  (await pth.succeed(t, "pth_run_test_suite")).data["summary"] as { passed: number; failed: number };

const right = { path: "add.mjs", find: "a - b", replace: "a + b" };

/** A user's home in which git signs with a program that fails, and runs hooks that reject and write. */
async function hostileHome(): Promise<Record<string, string>> {
  const home = join(top, "hostile home");
  const hook = `#!/bin/sh\ntouch "${home}/a hook ran" made-by-hook\nexit 1\n`;
  for (const each of ["pre-commit", "commit-msg", "prepare-commit-msg", "post-commit", "post-checkout"]) {
    await write(home, { [`hooks/${each}`]: hook });
    execFileSync("chmod", ["+x", join(home, "hooks", each)]);
  }
  await write(home, {
    ".gitconfig": `[commit]\n\tgpgSign = true\n[gpg]\n\tformat = ssh\n[gpg "ssh"]\n\tprogram = /bin/false
[core]\n\thooksPath = "${home}/hooks"\n[user]\n\tuseConfigOnly = true\n`,
  });
  return {
    HOME: home,
    GIT_DIR: join(home, "nowhere"),
    GIT_INDEX_FILE: join(home, "index"),
    GIT_WORK_TREE: "/",
  };
}

t.test(
  "work in progress in a merge, hooks and signing that fail, odd names: fixed all the same",
  slow,
  async (t) => {
    const folder = await repository(join(top, "ünï\ncode"), "a plugin", "other");
    const path = join(folder, "a plugin");
    await write(folder, { "shared.txt": "theirs\n" });
    git(folder, "checkout", "--quiet", "-b", "side");
    git(folder, "add", "shared.txt");
    git(folder, "commit", "--quiet", "--message=theirs");
    git(folder, "checkout", "--quiet", "main");
    await write(folder, { "shared.txt": "ours\n" });
    git(folder, "add", "shared.txt");
    git(folder, "commit", "--quiet", "--message=ours");
    await write(path, { "stashed.txt": "mine\n" });
    git(folder, "stash", "push", "--quiet", "--include-untracked");
    t.throws(() => git(folder, "merge", "side"), "it stops with a conflict");
    await write(path, { "add.mjs": "in work\n", "new.txt": "new\n", "staged.txt": "x\n" });
    git(folder, "add", "a plugin/staged.txt");
    await rm(join(folder, "other/.mcp.json"));
    const home = await hostileHome();
    const before = await photograph(folder);

    const pth = await startPth(t, home);
    const source = await begin(t, pth, path);
    t.match(source.notes.join(), /5 uncommitted changes are not included/);
    t.match(await verdict(t, pth), { passed: 0, failed: 1 });
    const applied = await pth.succeed(t, "pth_apply_fix", {
      tests: [name],
      title: "add\n\nPTH-Type: report",
      body: "\0\x1b[31mPTH-Type: docs",
      edits: [right],
      reload: true,
    });
    const fix = applied.data["fix"] as FixRecord;
    t.match(fix, { tests: [name], type: "fix", files: ["add.mjs"], reverts: undefined });
    t.match(await verdict(t, pth), { passed: 1, failed: 0 });
    t.strictSame(await changesSince(before, folder, { alive: true }), [], "while it runs");

    await t.test("what must not be edited is refused, and nothing is changed", async (t) => {
      const head = git(source.worktree, "rev-parse", "HEAD");
      const status = git(source.worktree, "status", "--porcelain");
      const bad: [Record<string, unknown>, RegExp][] = [
        [{ path: "../other/add.mjs", find: "a", replace: "b" }, /leads out of the plugin's folder/],
        [{ path: join(folder, "x"), content: "x" }, /absolute/],
        [{ path: "image.bin", find: "x", replace: "y" }, /binary/],
        [{ path: "dist/x.js", content: "x" }, /ignored/],
        [{ path: ".git/config", content: "x" }, /lies in \.git/],
        [{ patch: "--- a/../../x\n+++ b/../../x\n@@ -0,0 +1 @@\n+x\n" }, /leads out/],
      ];
      for (const [edit, reason] of bad) {
        const edits = [{ ...right, find: "a + b", replace: "b + a" }, edit];
        t.match((await refused(t, pth, "EDIT_FAILED", "pth_apply_fix", { title: "x", edits })).text, reason);
      }
      t.equal(git(source.worktree, "rev-parse", "HEAD"), head);
      t.equal(git(source.worktree, "status", "--porcelain"), status);
    });

    await t.test("a revert with conflicts tells them and changes nothing; reverts of reverts work", async (t) => {
      await pth.succeed(t, "pth_apply_fix", {
        title: "swap",
        edits: [{ ...right, find: "a + b", replace: "b + a" }],
      });
      const status = git(source.worktree, "status", "--porcelain");
      const conflict = await refused(t, pth, "REVERT_CONFLICT", "pth_revert_fix", { commit: fix.commit });
      t.match(conflict.text, /<<<<<<< now[^]*fix: swap/);
      t.equal(git(source.worktree, "status", "--porcelain"), status);
      const reverted = await pth.succeed(t, "pth_revert_fix", { commit: "HEAD" });
      await pth.succeed(t, "pth_revert_fix", { commit: (reverted.data["revert"] as FixRecord).commit });
      await refused(t, pth, "NO_SUCH_COMMIT", "pth_revert_fix", {
        commit: git(folder, "rev-parse", "main").trim(),
      });
      const history = (await pth.succeed(t, "pth_get_fix_history", { test: name }))
        .data as unknown as FixHistory;
      t.match(history, { total: 4 });
    });

    const ended = await pth.succeed(t, "pth_end_session");
    t.match(ended.data, { branchKept: true, branch: source.branch });
    t.match(git(folder, "show", `${source.branch}:a plugin/add.mjs`), "b + a");
    t.equal(git(folder, "log", "-1", "--format=%an", source.branch!).trim(), "Plugin Test Harness");
    t.strictSame(await changesSince(before, folder), [], "after it");
    t.notOk((await readdir(home["HOME"]!)).includes("a hook ran"));
    t.strictSame(await readdir(join(top, "worktrees")), []);
  },
);

t.test("uncommitted changes come along as the first commit where that is asked for", slow, async (t) => {
  const folder = await repository(join(top, "in work"), "");
  await write(folder, { "add.mjs": "export const add = ({ a, b }) => a * b;\n", "new.txt": "new\n" });
  const before = await photograph(folder);
  const pth = await startPth(t);
  const { branch, notes } = await begin(t, pth, folder, { uncommitted: true });
  t.match(notes.join(), /2 uncommitted changes are included/);
  const edits = [{ path: "add.mjs", find: "a * b", replace: "a + b" }];
  await pth.succeed(t, "pth_apply_fix", { title: "add", edits, reload: true });
  t.match(await verdict(t, pth), { passed: 1, failed: 0 });
  await pth.succeed(t, "pth_end_session");
  t.match(git(folder, "show", `${branch}:new.txt`), "new");
  t.match(
    git(folder, "log", "--reverse", "--format=%s", `main..${branch}`),
    /^chore: take over uncommitted changes of the checkout\nfix: add\n/,
  );
  t.strictSame(await changesSince(before, folder), []);
});

t.test(
  "a second session: refused on the same plugin, welcome on another of the repository",
  slow,
  async (t) => {
    const origin = await repository(join(top, "origin"), "one", "two");
    git(origin, "commit", "--quiet", "--allow-empty", "--message=second");
    const folder = join(top, "shallow and detached");
    git(top, "clone", "--quiet", "--depth=1", `file://${origin}`, folder);
    git(folder, "checkout", "--quiet", "--detach");
    const before = await photograph(folder);
    const [first, second] = await Promise.all([startPth(t), startPth(t)]);
    const one = await begin(t, first!, join(folder, "one"));
    const refusal = await refused(t, second!, "SESSION_LOCKED", "pth_start_session", {
      pluginPath: join(folder, "one"),
    });
    t.match(refusal.text, /is active on this plugin[^]*force/);
    t.match(refusal.data["error"], { branch: one.branch });
    t.strictSame(await changesSince(before, folder, { alive: true }), [], "the refused one left nothing");
    const two = await begin(t, second!, join(folder, "two"));
    t.not(one.branch, two.branch);
    await Promise.all(
      [first, second].map((pth) =>
        pth!.succeed(t, "pth_apply_fix", { title: "add", edits: [right], reload: true })
      ),
    );
    t.strictSame(await changesSince(before, folder, { alive: true }), []);
    await Promise.all([first, second].map((pth) => pth!.succeed(t, "pth_end_session")));
    t.match(git(folder, "show", `${one.branch}:one/add.mjs`), "a + b");
    t.match(git(folder, "show", `${one.branch}:two/add.mjs`), "a - b");
    t.match(git(folder, "show", `${two.branch}:two/add.mjs`), "a + b");
    t.strictSame(await changesSince(before, folder), []);
  },
);

t.test("a repository without a commit, and no user at all", slow, async (t) => {
  const folder = join(top, "unborn");
  await write(folder, plugin);
  git(folder, "init", "--quiet");
  git(folder, "add", "server.mjs");
  const before = await photograph(folder);
  const home = join(top, "empty home");
  await mkdir(home);
  const pth = await startPth(t, { HOME: home });
  const source = await begin(t, pth, folder);
  t.match(source.notes.join(), "A copy without a branch: the repository has no commit yet");
  await pth.succeed(t, "pth_apply_fix", { title: "add", edits: [right], reload: true });
  t.match(await verdict(t, pth), { passed: 1, failed: 0 });
  const { data } = await pth.succeed(t, "pth_end_session");
  t.match(git(data["repository"] as string, "show", `${data["branch"]}:add.mjs`), "a + b");
  t.strictSame(await changesSince(before, folder), []);
  t.strictSame(await readdir(home), [], "nothing is written to the user's home");
});
