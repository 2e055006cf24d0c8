/** Fixes in sessions of every kind; the author's checkout is byte for byte the same before and after. */
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { applyFix } from "../../../src/fixes/apply_fix.ts";
import { diffSession } from "../../../src/fixes/diff_session.ts";
import { readHistory } from "../../../src/git/history.ts";
import { makeRepository } from "../../../src/git/make_repository.ts";
import { revertFix } from "../../../src/fixes/revert_fix.ts";
import { branchOf } from "../../../src/git/session_branch.ts";
import { clean } from "../../../src/session/clean.ts";
import { listSessions } from "../../../src/registry/register.ts";
import { removeSource } from "../../../src/session/remove_source.ts";
import * as sources from "../session/helpers.ts";
import { files, fingerprint, request, session, textOf, userGit, writeFiles } from "./helpers.ts";

const edit = request([{ path: "src/a.ts", find: "one", replace: "1" }]);

/** What a session adds to a repository: its branch, its worktree's entry, objects. And the lock, while it runs. */
const ofTheSession = (path: string) =>
  /^\.git\/(objects|worktrees|refs\/heads\/pth|logs\/refs\/heads\/pth)(\/|$)/.test(path) ||
  path.startsWith(".pth/active-session.lock");

t.test("stash, index, hooks, uncommitted work and branches of the author stay byte-identical", async (t) => {
  const world = await sources.temporaryWorld(t);
  const { folder } = world;
  await sources.makeRepository(folder, files);
  await writeFiles(folder, { "src/a.ts": "stashed\n" });
  userGit(folder, "stash", "push", "--quiet", "--message=mine");
  await writeFiles(folder, {
    "src/a.ts": "work in progress\n",
    "staged.txt": "staged\n",
    "new.txt": "new\n",
  });
  userGit(folder, "add", "staged.txt");
  userGit(folder, "branch", "other");
  await writeFile(join(folder, ".git/hooks/pre-commit"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
  const before = await fingerprint(folder, ofTheSession);
  const { register, ...source } = await sources.prepare(folder, { mode: "session" });
  const branch = branchOf(source)!;
  const fix = await applyFix(branch, edit);
  const second = await applyFix(branch, request([{ path: "src/a.ts", find: "two", replace: "2" }]));
  await revertFix(branch, second.commit);
  await diffSession(branch);
  t.equal(await fingerprint(folder, ofTheSession), before);
  const end = await removeSource(source, { register });
  t.match(end, { branchKept: true, commits: 3, leftBehind: [] });
  t.equal(await fingerprint(folder, ofTheSession), before);
  t.equal(userGit(folder, "show", `${branch.branch}:src/a.ts`).split("\n")[0], "1");
  t.equal(userGit(folder, "cat-file", "-t", fix.commit).trim(), "commit");
});

t.test("a detached HEAD and a shallow clone are as good as any", async (t) => {
  const world = await sources.temporaryWorld(t);
  const origin = join(world.folder, "origin");
  await mkdir(origin);
  await sources.makeRepository(origin, files);
  userGit(origin, "commit", "--quiet", "--allow-empty", "--message=second");
  const shallow = join(world.folder, "shallow");
  userGit(world.folder, "clone", "--quiet", "--depth=1", `file://${origin}`, shallow);
  userGit(origin, "checkout", "--quiet", "--detach");
  for (const folder of [origin, shallow]) {
    const { register, ...source } = await sources.prepare(folder, { mode: "session" });
    const branch = branchOf(source)!;
    const fix = await applyFix(branch, edit);
    await revertFix(branch, fix.commit);
    t.equal((await readHistory(branch)).length, 2, folder);
    t.match(await removeSource(source, { register }), { branchKept: true, commits: 2 });
  }
});

t.test("a plugin without git gets a repository apart from its files, at its first fix", async (t) => {
  const { folder, worktrees, home } = await sources.temporaryWorld(t);
  await writeFiles(folder, files);
  const before = await fingerprint(folder, ofTheSession);
  const { register, ...scratch } = await sources.prepare(folder, { mode: "session" });
  await writeFiles(scratch.worktree, { "node_modules/x/index.js": "installed\n", "src/early.ts": "x\n" });
  const source = await makeRepository(scratch, register);
  t.match(source.branch, /^pth\/demo-\d{4}-\d\d-\d\d-t\d+x\d+$/);
  t.equal(source.worktree, scratch.worktree);
  t.equal(await textOf(source.worktree, ".git"), undefined, "what the environment sees has no .git");
  const branch = branchOf(source)!;
  const fix = await applyFix(branch, edit);
  t.strictSame((await diffSession(branch)).files.map(({ path }) => path), ["src/a.ts"]);
  t.notMatch(userGit(source.repository!, "ls-tree", "-r", "--name-only", source.base!), /node_modules/);
  t.match(userGit(source.repository!, "ls-tree", "-r", "--name-only", source.base!), /src\/early.ts/);
  const revert = await revertFix(branch, fix.commit);
  await revertFix(branch, revert.commit);
  const dead = (await listSessions()).filter(({ sessionId }) => sessionId === source.sessionId);
  t.match(dead[0]?.entries.map(({ kind }) => kind), ["lock", "scratch", "branch"]);
  t.match(await removeSource(source, { register }), { branchKept: true, commits: 3, leftBehind: [] });
  t.strictSame(await readdir(worktrees), []);
  t.equal(await fingerprint(folder, ofTheSession), before);
  const copy = join(home, "copy");
  userGit(home, "clone", "--quiet", source.repository!, copy);
  t.match(await textOf(copy, "src/a.ts"), /^1\n/, "the branch can be cloned");
});

t.test("an own repository that holds no fix goes with its session", async (t) => {
  const { folder, home } = await sources.temporaryWorld(t);
  await writeFiles(folder, files);
  const { register, ...scratch } = await sources.prepare(folder, { mode: "session" });
  const source = await makeRepository(scratch, register);
  t.match(await removeSource(source, { register }), { branchKept: false, commits: 0, leftBehind: [] });
  t.strictSame(await readdir(join(home, "repositories")), []);
  t.match(await clean({ runtimes: [] }), { failed: [] });
});

t.test("uncommitted work that a run brought along stays out of fixes of other files", async (t) => {
  const world = await sources.temporaryWorld(t);
  await sources.makeRepository(world.folder, files);
  await writeFiles(world.folder, { "src/windows.txt": "changed\n", "new.txt": "new\n" });
  const { register: _register, ...source } = await sources.prepare(world.folder, { mode: "run" });
  const fix = await applyFix(branchOf(source)!, edit);
  t.equal(userGit(world.folder, "show", "--format=", "--name-only", fix.commit).trim(), "src/a.ts");
});

t.test("submodules are refused with the reason", async (t) => {
  const world = await session(t);
  const { branch, plugin } = world;
  const other = join(world.folder, "..", "other");
  await mkdir(other);
  await sources.makeRepository(other, { "x.txt": "x\n" });
  userGit(plugin, "submodule", "--quiet", "add", other, "vendor/other");
  userGit(plugin, "commit", "--quiet", "--message=submodule");
  const error = await sources.rejection(
    applyFix(branch, request([{ path: "vendor/other/x.txt", find: "x", replace: "y" }])),
  );
  t.match(error.message, /lies in vendor\/other, a submodule/);
  t.equal(await textOf(plugin, "vendor/other/x.txt"), "x\n");
});
