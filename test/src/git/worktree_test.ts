import { chmod, mkdir, readdir, readlink, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { removeSource } from "../../../src/session/remove_source.ts";
import { listSessions } from "../../../src/registry/register.ts";
import {
  makeRepository,
  prepare,
  rejection,
  temporaryWorld,
  textOf,
  userGit,
  writeFiles,
} from "../session/helpers.ts";

const plugin = { "package.json": '{"name":"@scope/Demo Plugin","version":"1.2.3"}', "a.txt": "committed\n" };

t.test("a git folder gets a worktree on a session branch, and the checkout stays as it is", async (t) => {
  const { folder, worktrees } = await temporaryWorld(t);
  const head = await makeRepository(folder, plugin);
  const source = await prepare(folder);
  t.equal(source.worktree, join(worktrees, `pth-worktree-${source.sessionId}`));
  t.match(source.branch, /^pth\/scope-demo-plugin-\d{4}-\d\d-\d\d-t\d+x\d+$/);
  t.match(source, { name: "@scope/Demo Plugin", version: "1.2.3", base: head, subfolder: "", notes: [] });
  t.equal(await textOf(source.worktree, "a.txt"), "committed\n");
  t.equal(userGit(folder, "branch", "--show-current").trim(), "main");
  const lock = JSON.parse(await textOf(folder, ".pth/active-session.lock") ?? "");
  t.match(lock, { branch: source.branch, sessionId: source.sessionId, pid: Number });
  const report = await removeSource(source, { register: source.register });
  t.match(report, { branchKept: false, commits: 0, leftBehind: [] });
  t.equal(userGit(folder, "branch", "--list", "pth/*"), "");
  t.equal(userGit(folder, "worktree", "list").trim().split("\n").length, 1);
  t.equal(userGit(folder, "status", "--porcelain"), "");
  t.strictSame(await readdir(worktrees), []);
  t.strictSame((await listSessions())[0]?.entries, [], "the register holds nothing any more");
  t.strictSame((await removeSource(source)).leftBehind, [], "a second time is no error");
});

t.test("run mode brings the working tree as it stands", async (t) => {
  const { folder } = await temporaryWorld(t);
  await makeRepository(folder, {
    ...plugin,
    "gone.txt": "x",
    "becomes/file": "x",
    "staged.txt": "old",
    ".gitignore": "ignored/\n",
  });
  await writeFiles(folder, {
    "a.txt": "changed\n",
    'new dir/ünïcode "file".txt': "new",
    "ignored/secret": "no",
    "staged.txt": "staged",
  });
  await rm(join(folder, "gone.txt"));
  await rm(join(folder, "becomes"), { recursive: true });
  await writeFile(join(folder, "becomes"), "a file now");
  await symlink("a.txt", join(folder, "link"));
  userGit(folder, "add", "staged.txt");
  const source = await prepare(folder);
  const at = (path: string) => textOf(source.worktree, path);
  t.equal(await at("a.txt"), "changed\n");
  t.equal(await at("staged.txt"), "staged");
  t.equal(await at('new dir/ünïcode "file".txt'), "new");
  t.equal(await at("gone.txt"), undefined);
  t.equal(await at("becomes"), "a file now");
  t.equal(await at("ignored/secret"), undefined);
  t.equal(await at(".pth/active-session.lock"), undefined, "the lock is not copied");
  t.equal(await readlink(join(source.worktree, "link")), "a.txt");
  t.match(source.notes.join(), /^7 uncommitted changes are included/);
  t.equal(userGit(folder, "diff", "--cached", "--name-only").trim(), "staged.txt", "the index is untouched");
});

t.test("a link that became a folder is not written through", async (t) => {
  const { folder } = await temporaryWorld(t);
  const outside = join(folder, "..", "outside");
  await mkdir(outside);
  await writeFiles(folder, plugin);
  await symlink(outside, join(folder, "dir"));
  await makeRepository(folder, {});
  await rm(join(folder, "dir"));
  await writeFiles(folder, { "dir/file.txt": "within" });
  const source = await prepare(folder);
  t.equal(await textOf(source.worktree, "dir/file.txt"), "within");
  t.strictSame(await readdir(outside), []);
});

t.test("a session starts at HEAD and says what it leaves out", async (t) => {
  const { folder } = await temporaryWorld(t);
  await makeRepository(folder, plugin);
  await writeFile(join(folder, "a.txt"), "changed\n");
  const source = await prepare(folder, { mode: "session" });
  t.equal(await textOf(source.worktree, "a.txt"), "committed\n");
  t.match(source.notes, [/^1 uncommitted change is not included: the session starts at HEAD/]);
});

t.test("a plugin in a subfolder gets the whole repository, and its lock beside itself", async (t) => {
  const { folder } = await temporaryWorld(t);
  await makeRepository(folder, { "shared.txt": "s", "plugins/one/package.json": '{"name":"one"}' });
  const source = await prepare(join(folder, "plugins", "one"));
  t.match(source, { subfolder: "plugins/one", name: "one", repository: folder });
  t.equal(await textOf(source.worktree, "shared.txt"), "s");
  t.ok(await textOf(folder, "plugins/one/.pth/active-session.lock"));
});

t.test("taken names get a new suffix", async (t) => {
  const { folder, worktrees } = await temporaryWorld(t);
  await makeRepository(folder, { "package.json": '{"name":"p"}' });
  const date = new Date().toISOString().slice(0, 10);
  userGit(folder, "branch", `pth/p-${date}-same`);
  const first = await prepare(folder, { sessionId: "same" });
  t.equal(first.branch, `pth/p-${date}-same-2`);
  t.equal(first.worktree, join(worktrees, "pth-worktree-same-2"));
});

t.test("a branch called pth does not stand in the way", async (t) => {
  const { folder } = await temporaryWorld(t);
  await makeRepository(folder, plugin);
  userGit(folder, "branch", "pth");
  t.match((await prepare(folder)).branch, /^pth-scope-demo-plugin-/);
});

t.test("the user's hooks, signing and tracking settings do not matter", async (t) => {
  const { folder } = await temporaryWorld(t);
  await makeRepository(folder, plugin);
  await writeFiles(folder, { "hooks/post-checkout": "#!/bin/sh\ntouch hook-ran\nexit 1\n" });
  await chmod(join(folder, "hooks/post-checkout"), 0o755);
  userGit(folder, "config", "core.hooksPath", join(folder, "hooks"));
  userGit(folder, "config", "commit.gpgsign", "true");
  userGit(folder, "config", "branch.autoSetupMerge", "always");
  const source = await prepare(folder);
  t.equal(await textOf(source.worktree, "hook-ran"), undefined);
  t.notMatch(userGit(folder, "config", "--list"), /branch\.pth/);
});

t.test("variables of a hook that started PTH do not lead to another repository", async (t) => {
  const { folder } = await temporaryWorld(t);
  await makeRepository(folder, plugin);
  process.env.GIT_DIR = "/nonexistent";
  t.teardown(() => delete process.env.GIT_DIR);
  const source = await prepare(folder);
  delete process.env.GIT_DIR;
  t.match(source.branch, /^pth\//);
});

t.test("a detached HEAD is as good as any", async (t) => {
  const { folder } = await temporaryWorld(t);
  const head = await makeRepository(folder, plugin);
  userGit(folder, "checkout", "--quiet", "--detach");
  const source = await prepare(folder);
  t.equal(source.base, head);
  t.strictSame((await removeSource(source)).removed.length, 3);
});

t.test("a bare repository gives a worktree at HEAD", async (t) => {
  const { folder } = await temporaryWorld(t);
  await makeRepository(folder, plugin);
  const bare = join(folder, "..", "bare.git");
  userGit(folder, "clone", "--quiet", "--bare", folder, bare);
  const source = await prepare(bare);
  t.equal(await textOf(source.worktree, "a.txt"), "committed\n");
  t.strictSame((await removeSource(source)).leftBehind, []);
});

t.test("a repository without a commit is copied, and says so", async (t) => {
  const { folder } = await temporaryWorld(t);
  await writeFiles(folder, plugin);
  userGit(folder, "init", "--quiet");
  const source = await prepare(folder);
  t.equal(source.branch, undefined);
  t.equal(await textOf(source.worktree, "a.txt"), "committed\n");
  t.equal(await textOf(source.worktree, ".git/HEAD"), undefined);
  t.match(source.notes, ["A copy without a branch: the repository has no commit yet."]);
});

t.test("a folder that its repository ignores is copied", async (t) => {
  const { folder } = await temporaryWorld(t);
  await makeRepository(folder, { ".gitignore": "build/\n" });
  await writeFiles(folder, { "build/plugin/server.py": "print()" });
  const source = await prepare(join(folder, "build/plugin"));
  t.match(source, { subfolder: "", branch: undefined });
  t.equal(await textOf(source.worktree, "server.py"), "print()");
});

t.test("submodules come as they are checked out", async (t) => {
  const { folder } = await temporaryWorld(t);
  const library = join(folder, "..", "library");
  await mkdir(library);
  await makeRepository(library, { "lib.js": "lib" });
  await makeRepository(folder, plugin);
  userGit(folder, "submodule", "--quiet", "add", library, "vendor/lib");
  userGit(folder, "commit", "--quiet", "--message=Add submodule");
  const source = await prepare(folder);
  t.equal(await textOf(source.worktree, "vendor/lib/lib.js"), "lib");
  t.match(source.notes, ["Submodule vendor/lib is copied as it is checked out."]);
  t.equal(userGit(source.worktree, "status", "--porcelain"), "");
  t.strictSame((await removeSource(source)).leftBehind, []);
});

t.test("a repository within the repository that is not tracked is copied without its .git", async (t) => {
  const { folder } = await temporaryWorld(t);
  await makeRepository(folder, plugin);
  await mkdir(join(folder, "inner"));
  await makeRepository(join(folder, "inner"), { "inner.txt": "i" });
  const source = await prepare(folder);
  t.equal(await textOf(source.worktree, "inner/inner.txt"), "i");
  t.equal(await textOf(source.worktree, "inner/.git/HEAD"), undefined);
});

t.test("a worktree of the user's is a source like any other", async (t) => {
  const { folder } = await temporaryWorld(t);
  await makeRepository(folder, plugin);
  const linked = join(folder, "..", "linked");
  userGit(folder, "worktree", "add", "--quiet", linked);
  const source = await prepare(linked);
  t.equal(await textOf(source.worktree, "a.txt"), "committed\n");
  await removeSource(source);
  t.match(userGit(folder, "worktree", "list"), /linked/, "the user's stays");
});

t.test("a branch with a commit of its own is kept, one without goes", async (t) => {
  const { folder } = await temporaryWorld(t);
  await makeRepository(folder, plugin);
  const source = await prepare(folder);
  await writeFile(join(source.worktree, "a.txt"), "fixed\n");
  userGit(source.worktree, "commit", "--quiet", "--all", "--message=Fix");
  t.match(await removeSource(source), { branchKept: true, commits: 1, leftBehind: [] });
  t.match(userGit(folder, "branch", "--list", "pth/*"), source.branch!);
  const kept = await prepare(folder);
  t.match(await removeSource(kept, { keepBranch: true }), { branchKept: true, commits: 0 });
});

t.test("a worktree whose .git was tampered with is removed all the same", async (t) => {
  const { folder } = await temporaryWorld(t);
  await makeRepository(folder, plugin);
  const source = await prepare(folder);
  await rm(join(source.worktree, ".git"));
  await mkdir(join(source.worktree, ".git"));
  await writeFile(join(source.worktree, ".git/config"), "[core]\nfsmonitor = touch /tmp/evil\n");
  t.strictSame((await removeSource(source)).leftBehind, []);
  t.equal(userGit(folder, "worktree", "list").trim().split("\n").length, 1);
});

t.test("a source whose repository is gone is removed", async (t) => {
  const { folder } = await temporaryWorld(t);
  await makeRepository(folder, plugin);
  const source = await prepare(folder);
  await rm(folder, { recursive: true });
  t.strictSame((await removeSource(source)).leftBehind, []);
  t.equal(await textOf(source.worktree, "a.txt"), undefined);
});

t.test("an abort leaves nothing", async (t) => {
  const { folder, worktrees } = await temporaryWorld(t);
  await makeRepository(folder, plugin);
  const controller = new AbortController();
  const onStep = () => controller.abort(new Error("stopped by test"));
  const error = await rejection(prepare(folder, { signal: controller.signal, onStep }));
  t.equal(error.message, "stopped by test");
  t.equal(userGit(folder, "branch", "--list", "pth/*"), "");
  t.equal(await textOf(folder, ".pth/active-session.lock"), undefined);
  t.strictSame(await readdir(worktrees).catch(() => []), []);
});
