// test: timeout=300
/** Checkouts in every state that authors leave them in: a session works on each, and each is exactly as it was. */
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import t, { type Test } from "tap";
import { applyFix } from "../../../src/fixes/apply_fix.ts";
import { commitUncommitted } from "../../../src/fixes/commit_uncommitted.ts";
import { readHistory } from "../../../src/git/history.ts";
import { revertFix } from "../../../src/fixes/revert_fix.ts";
import { branchOf } from "../../../src/git/session_branch.ts";
import { listSessions } from "../../../src/registry/register.ts";
import { removeSource } from "../../../src/session/remove_source.ts";
import {
  makeRepository,
  prepare,
  rejection,
  temporaryWorld,
  textOf,
  userGit,
  writeFiles,
} from "../../src/session/helpers.ts";
import { changesSince, photograph } from "../../support/checkout_photo.ts";
import { edit, files, wholeSession } from "./whole_session.ts";

t.setTimeout(240_000);

/** A second commit on `other` that conflicts with one on `main`. */
async function diverge(folder: string): Promise<void> {
  userGit(folder, "checkout", "--quiet", "-b", "other");
  await writeFiles(folder, { "src/b.txt": "theirs\n" });
  userGit(folder, "commit", "--quiet", "--all", "--message=theirs");
  userGit(folder, "checkout", "--quiet", "main");
  await writeFiles(folder, { "src/b.txt": "ours\n" });
  userGit(folder, "commit", "--quiet", "--all", "--message=ours");
}

/** Git that is expected to stop with a conflict. */
const conflicting = (folder: string, ...args: string[]) => {
  try {
    userGit(folder, ...args);
  } catch {
    return;
  }
  throw new Error("no conflict");
};

const states: Record<string, { make: (folder: string) => Promise<void> | void; notes?: RegExp }> = {
  "staged, changed, new, deleted, renamed, half-added and stashed files": {
    make: async (folder) => {
      await writeFiles(folder, { "src/b.txt": "stashed\n" });
      userGit(folder, "stash", "push", "--quiet", "--message=mine");
      await writeFiles(folder, {
        "src/a.txt": "in work\n",
        "staged.txt": "x\n",
        "new.txt": "x\n",
        "i.txt": "",
      });
      userGit(folder, "add", "staged.txt");
      userGit(folder, "add", "--intent-to-add", "i.txt");
      userGit(folder, "mv", "src/b.txt", "src/c.txt");
      await rm(join(folder, "docs/readme.md"));
      await writeFiles(folder, { ".git/info/exclude": "*.log\n", "kept.log": "x\n", "left.log": "x\n" });
      userGit(folder, "add", "--force", "kept.log");
    },
    notes: /^8 uncommitted changes are not included: the session starts at HEAD/,
  },
  "in the middle of a merge with conflicts": {
    make: async (folder) => {
      await diverge(folder);
      conflicting(folder, "merge", "other");
    },
    notes: /1 uncommitted change is not included/,
  },
  "in the middle of a rebase with conflicts": {
    make: async (folder) => {
      await diverge(folder);
      conflicting(folder, "rebase", "other");
    },
    notes: /1 uncommitted change is not included/,
  },
  "in the middle of a bisect, with a detached HEAD": {
    make: (folder) => {
      userGit(folder, "commit", "--quiet", "--allow-empty", "--message=second");
      userGit(folder, "bisect", "start", "HEAD", "HEAD~1");
      userGit(folder, "checkout", "--quiet", "--detach");
    },
  },
  "with a lock of the index that another git holds": {
    make: (folder) => writeFile(join(folder, ".git/index.lock"), ""),
  },
  "with a gc under way": {
    make: async (folder) => {
      userGit(folder, "pack-refs", "--all");
      await writeFile(join(folder, ".git/gc.pid"), `${process.pid} somewhere`);
    },
  },
  "sparse": {
    make: (folder) => void userGit(folder, "sparse-checkout", "set", "src"),
  },
  "with a split index and an untracked cache": {
    make: (folder) => {
      userGit(folder, "config", "core.untrackedCache", "true");
      userGit(folder, "update-index", "--split-index", "--untracked-cache");
      userGit(folder, "status");
    },
  },
};

for (const [name, { make, notes }] of Object.entries(states)) {
  t.test(`a checkout ${name}`, async (t) => {
    const { folder } = await temporaryWorld(t);
    await makeRepository(folder, files);
    await make(folder);
    const outcome = await wholeSession(t, folder);
    t.type(outcome.branch, "string");
    t.match(outcome.text, "1\ntwo\nthree\n");
    t.match(outcome.notes, notes ?? /^$/);
    await runs(t, folder);
    await takesAll(t, folder);
  });
}

/** A run takes the working tree as it stands, and leaves no branch. */
async function runs(t: Test, folder: string): Promise<void> {
  const before = await photograph(folder);
  const { register, ...source } = await prepare(folder, { mode: "run" });
  t.equal(await textOf(source.worktree, "src/a.txt"), await textOf(folder, "src/a.txt"));
  t.equal(await textOf(source.worktree, "src/b.txt"), await textOf(folder, "src/b.txt"));
  t.match(await removeSource(source, { register }), { branchKept: false, commits: 0, leftBehind: [] });
  t.strictSame(await changesSince(before, folder, { branch: false }), [], "after a run");
}

/** A session that was asked for it has uncommitted changes in its first commit, where there are any. */
async function takesAll(t: Test, folder: string): Promise<void> {
  const before = await photograph(folder);
  const { register, ...source } = await prepare(folder, {
    mode: "session",
    commitUncommitted: (source, paths) => commitUncommitted(branchOf(source)!, paths),
  });
  t.equal(await textOf(source.worktree, "src/a.txt"), await textOf(folder, "src/a.txt"));
  t.equal(userGit(source.worktree, "status", "--porcelain"), "", "all of it is committed");
  const history = await readHistory(branchOf(source)!);
  t.match(history, source.notes.length === 0 ? [] : [{ type: "uncommitted", title: /take over/ }]);
  await removeSource(source, { register });
  t.strictSame(await changesSince(before, folder, { branch: history.length > 0 }), [], "after it took all");
}

t.test("a repository without a commit is copied; the fixes go to a repository of their own", async (t) => {
  const { folder } = await temporaryWorld(t);
  await writeFiles(folder, files);
  userGit(folder, "init", "--quiet");
  userGit(folder, "add", "src");
  const { branch, notes } = await wholeSession(t, folder);
  t.equal(branch, undefined);
  t.match(notes, "A copy without a branch: the repository has no commit yet");
});

t.test("a shallow clone, a bare clone and a linked worktree", async (t) => {
  const { folder, worktrees } = await temporaryWorld(t);
  await makeRepository(folder, files);
  userGit(folder, "commit", "--quiet", "--allow-empty", "--message=second");
  await mkdir(worktrees, { recursive: true });
  const [shallow, bare, linked] = ["shallow", "bare.git", "linked"].map((name) => join(worktrees, name));
  userGit(worktrees, "clone", "--quiet", "--depth=1", `file://${folder}`, shallow!);
  userGit(worktrees, "clone", "--quiet", "--bare", folder, bare!);
  userGit(folder, "worktree", "add", "--quiet", "-b", "side", linked!);
  await writeFiles(linked!, { "src/b.txt": "in work\n" });
  for (const each of [shallow!, bare!, linked!, join(linked!, "..", "linked", "src", "..")]) {
    await t.test(each.slice(worktrees.length), async (t) => {
      const { branch, notes } = await wholeSession(t, each);
      t.type(branch, "string");
      t.match(notes, each.includes("linked") ? /1 uncommitted change is not included/ : /^$/);
    });
  }
});

t.test("submodules, checked out with changes and not checked out", async (t) => {
  const { folder, worktrees } = await temporaryWorld(t);
  const module = join(worktrees, "module");
  await mkdir(module, { recursive: true });
  await makeRepository(module, { "x.txt": "x\n" });
  await makeRepository(folder, files);
  userGit(folder, "submodule", "--quiet", "add", module, "vendor/there");
  userGit(folder, "submodule", "--quiet", "add", module, "vendor/absent");
  userGit(folder, "commit", "--quiet", "--message=submodules");
  userGit(folder, "submodule", "--quiet", "deinit", "--force", "vendor/absent");
  await writeFiles(folder, { "vendor/there/x.txt": "changed\n" });
  const { notes } = await wholeSession(t, folder);
  t.match(notes, "Submodule vendor/there is copied as it is checked out");
  t.match(notes, "Submodule vendor/absent is empty: run git submodule update --init");
});

t.test("git gc that throws away all it can leaves a session's commits", async (t) => {
  const { folder } = await temporaryWorld(t);
  await makeRepository(folder, files);
  const { register, ...source } = await prepare(folder, { mode: "session" });
  const branch = branchOf(source)!;
  const fix = await applyFix(branch, edit);
  userGit(folder, "gc", "--quiet", "--prune=now", "--aggressive");
  userGit(folder, "worktree", "prune", "--expire=now");
  const revert = await revertFix(branch, fix.commit);
  userGit(folder, "gc", "--quiet", "--prune=now");
  await revertFix(branch, revert.commit);
  t.match(await removeSource(source, { register }), { branchKept: true, commits: 3, leftBehind: [] });
});

t.test("a branch that cannot be deleted now is told, and goes with the next clean", async (t) => {
  const { folder } = await temporaryWorld(t);
  await makeRepository(folder, files);
  const before = await photograph(folder);
  const { register, ...source } = await prepare(folder, { mode: "run" });
  await writeFile(join(folder, ".git/packed-refs.lock"), "");
  const end = await removeSource(source, { register });
  t.match(end, { branchKept: true, leftBehind: [/^branch pth\/demo.*git cannot delete it now$/] });
  await rm(join(folder, ".git/packed-refs.lock"));
  t.match((await listSessions())[0]?.entries, [{ kind: "branch", name: source.branch }]);
  t.match(await removeSource(source, { register }), { branchKept: false, leftBehind: [] });
  t.strictSame(await changesSince(before, folder, { branch: false }), []);
});

t.test("a fix of what a sparse checkout leaves out is refused, and nothing is changed", async (t) => {
  const { folder } = await temporaryWorld(t);
  await makeRepository(folder, files);
  userGit(folder, "sparse-checkout", "set", "src");
  const before = await photograph(folder);
  const { register, ...source } = await prepare(folder, { mode: "session" });
  for (const wanted of [{ path: "docs/readme.md", content: "x" }, { path: "docs/new.md", content: "x" }]) {
    const error = await rejection(applyFix(branchOf(source)!, { ...edit, edits: [wanted] }));
    t.match(error, { code: "EDIT_FAILED", message: /the author's sparse checkout leaves out/ });
    t.equal(await textOf(source.worktree, "docs/readme.md"), undefined);
    t.equal(userGit(source.worktree, "status", "--porcelain"), "");
  }
  t.match(await removeSource(source, { register }), { branchKept: false, leftBehind: [] });
  t.strictSame(await changesSince(before, folder, { branch: false }), []);
});
