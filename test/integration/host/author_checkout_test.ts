// test: timeout=300
/** Checkouts in every state that authors leave them in: a session works on each, and each is exactly as it was. */
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import t, { type Test } from "tap";
import { applyFix } from "../../../src/fixes/apply_fix.ts";
import { commitUncommitted } from "../../../src/fixes/commit_uncommitted.ts";
import { diffSession } from "../../../src/fixes/diff_session.ts";
import { readHistory } from "../../../src/fixes/history.ts";
import { makeRepository as ownRepository } from "../../../src/fixes/make_repository.ts";
import { revertFix } from "../../../src/fixes/revert_fix.ts";
import { branchOf } from "../../../src/fixes/session_branch.ts";
import { run } from "../../../src/platform/process.ts";
import { listSessions } from "../../../src/session/register.ts";
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
import { changesSince, photograph } from "../checkout_photo.ts";

t.setTimeout(240_000);

const files = {
  "package.json": '{"name":"demo","version":"1.0.0"}\n',
  "src/a.txt": "one\ntwo\nthree\n",
  "src/b.txt": "b\n",
  "docs/readme.md": "read me\n",
};

const edit = {
  tests: ["a test"],
  title: "mend it",
  edits: [{ path: "src/a.txt", find: "one", replace: "1" }],
};

/** What a session on the folder said and left. */
interface Outcome {
  notes: string;
  /** Undefined for a copy without a branch of the author's repository. */
  branch: string | undefined;
  text: string | undefined;
}

/** A whole session: fix, revert, revert of the revert, end. The checkout is looked at while it runs and after it. */
async function session(t: Test, folder: string, checkout = folder): Promise<Outcome> {
  const before = await photograph(checkout);
  const { register, ...prepared } = await prepare(folder, { mode: "session" });
  t.strictSame(await changesSince(before, checkout, { alive: true }), [], "while it runs");
  const source = prepared.branch === undefined ? await ownRepository(prepared, register) : prepared;
  const branch = branchOf(source)!;
  const fix = await applyFix(branch, edit);
  const revert = await revertFix(branch, fix.commit);
  t.match(await textOf(source.worktree, source.subfolder, "src/a.txt"), /^one/);
  await revertFix(branch, revert.commit);
  t.equal((await readHistory(branch)).length, 3);
  t.match(await diffSession(branch), { files: [{ path: "src/a.txt", added: 1, removed: 1 }] });
  const end = await removeSource(source, { register });
  t.match(end, { branchKept: true, commits: 3, leftBehind: [] });
  t.strictSame(await changesSince(before, checkout), [], "after it");
  const path = join(source.subfolder, "src/a.txt");
  const text = userGit(source.repository!, "-c", "safe.directory=*", "show", `${branch.branch}:${path}`);
  return { notes: source.notes.join("\n"), branch: prepared.branch, text };
}

/** The same with variables set or, where undefined, missing. */
async function withVariables<T>(variables: Record<string, string | undefined>, work: () => Promise<T>) {
  const before = Object.fromEntries(Object.keys(variables).map((name) => [name, process.env[name]]));
  const set = (all: typeof variables) => {
    for (const [name, value] of Object.entries(all)) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  };
  set(variables);
  try {
    return await work();
  } finally {
    set(before);
  }
}

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
    const outcome = await session(t, folder);
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
  const { branch, notes } = await session(t, folder);
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
      const { branch, notes } = await session(t, each);
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
  const { notes } = await session(t, folder);
  t.match(notes, "Submodule vendor/there is copied as it is checked out");
  t.match(notes, "Submodule vendor/absent is empty: run git submodule update --init");
});

/** Each writes where it ran, and refuses. */
const hooks = [
  "pre-commit",
  "prepare-commit-msg",
  "commit-msg",
  "post-commit",
  "post-checkout",
  "post-index-change",
  "reference-transaction",
  "pre-auto-gc",
];

async function writeHooks(folder: string, trace: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  for (const hook of hooks) {
    await writeFile(
      join(folder, hook),
      `#!/bin/sh\necho ${hook} >> "${trace}"\ntouch made-by-${hook}\nexit 1\n`,
      {
        mode: 0o755,
      },
    );
  }
  return folder;
}

t.test("hooks of the repository, of its configuration and of the user's never run", async (t) => {
  const { folder, home } = await temporaryWorld(t);
  const trace = join(home, "trace");
  const user = join(home, "user");
  const others = await writeHooks(join(home, "hooks"), trace);
  await makeRepository(folder, files);
  await writeHooks(join(folder, ".git/hooks"), trace);
  await session(t, folder);
  await writeFiles(user, {
    ".gitconfig": `[core]\n\thooksPath = "${others}"\n\tfsmonitor = "${others}/pre-commit"\n`,
  });
  await withVariables({ HOME: user, XDG_CONFIG_HOME: undefined }, () => session(t, folder));
  userGit(folder, "config", "core.hooksPath", others);
  await session(t, folder);
  t.equal(await textOf(trace), undefined, "no hook ran");
});

t.test("signing that fails, in every way to sign, and a user without a name", async (t) => {
  const { folder, home } = await temporaryWorld(t);
  await makeRepository(folder, files);
  for (const format of ["openpgp", "ssh", "x509"]) {
    const user = join(home, format);
    await writeFiles(user, {
      ".gitconfig": "[commit]\n\tgpgSign = true\n[tag]\n\tgpgSign = true\n" +
        `[gpg]\n\tformat = ${format}\n[gpg "${format}"]\n\tprogram = /bin/false\n[user]\n\tuseConfigOnly = true\n` +
        "[log]\n\tshowSignature = true\n",
    });
    await withVariables({ HOME: user, XDG_CONFIG_HOME: undefined }, () => session(t, folder));
  }
  const nobody = join(home, "nobody");
  await mkdir(nobody);
  await withVariables({ HOME: nobody, XDG_CONFIG_HOME: undefined }, () => session(t, folder));
  const [branch = ""] = userGit(folder, "for-each-ref", "--format=%(refname:short)", "refs/heads/pth").split(
    "\n",
  );
  t.equal(
    userGit(folder, "log", "-1", "--format=%an <%ae>", branch).trim(),
    "Plugin Test Harness <pth@localhost>",
  );
});

t.test("settings of the user that change what git prints or takes", async (t) => {
  const { folder, home } = await temporaryWorld(t);
  await makeRepository(folder, files);
  await writeFiles(home, {
    ".gitconfig":
      `[color]\n\tui = always\n[diff]\n\tnoprefix = true\n\texternal = /bin/false\n\trelative = true
[merge]\n\tconflictStyle = zdiff3\n[status]\n\tshowUntrackedFiles = no\n[log]\n\tfollow = true\n\tdecorate = full
[core]\n\tquotePath = true\n\tpager = /bin/false\n\twhitespace = cr-at-eol\n[apply]\n\twhitespace = error-all
[i18n]\n\tcommitEncoding = ISO-8859-1\n\tlogOutputEncoding = ISO-8859-1\n[commit]\n\tcleanup = strip\n\tverbose = true
\ttemplate = /nowhere\n[branch]\n\tautoSetupMerge = always\n[checkout]\n\tdefaultRemote = x\n`,
  });
  await withVariables({ HOME: home, XDG_CONFIG_HOME: undefined }, () => session(t, folder));
});

t.test("git's variables in PTH's own surroundings lead nowhere else", async (t) => {
  const { folder, home } = await temporaryWorld(t);
  const other = join(home, "other");
  await mkdir(other, { recursive: true });
  await makeRepository(folder, files);
  await makeRepository(other, { "other.txt": "x\n" });
  const before = await photograph(other);
  const variables = {
    GIT_DIR: join(other, ".git"),
    GIT_WORK_TREE: other,
    GIT_INDEX_FILE: join(other, ".git/index"),
    GIT_COMMON_DIR: join(other, ".git"),
    GIT_OBJECT_DIRECTORY: join(other, ".git/objects"),
    GIT_PREFIX: "deep/",
    GIT_ICASE_PATHSPECS: "1",
    GIT_GRAFT_FILE: join(other, "grafts"),
    GIT_SHALLOW_FILE: join(other, "shallow"),
    GIT_EXTERNAL_DIFF: "/bin/false",
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: "core.hooksPath",
    GIT_CONFIG_VALUE_0: await writeHooks(join(home, "hooks"), join(home, "trace")),
  };
  // The test's own git must not hear them.
  const { register, ...source } = await withVariables(variables, () => prepare(folder, { mode: "session" }));
  const branch = branchOf(source)!;
  await withVariables(variables, async () => {
    const fix = await applyFix(branch, edit);
    await revertFix(branch, fix.commit);
    await readHistory(branch);
    t.match(await removeSource(source, { register }), { branchKept: true, commits: 2, leftBehind: [] });
  });
  t.strictSame(await changesSince(before, other), []);
  t.equal(await textOf(home, "trace"), undefined);
});

for (
  const name of ["with  spaces ", "ünï cödé 插件", "-rf", "new\nline", 'quo"te\\back$(touch x)', ".hidden"]
) {
  t.test(`a checkout, and a plugin within it, called ${JSON.stringify(name)}`, async (t) => {
    const { folder: top } = await temporaryWorld(t);
    const folder = join(top, name);
    await mkdir(folder);
    const within = Object.entries(files).map(([path, text]) => [join(name, path), text]);
    await makeRepository(folder, { ...files, ...Object.fromEntries(within) });
    t.type((await session(t, folder)).branch, "string");
    t.type((await session(t, join(folder, name), folder)).branch, "string");
  });
}

const root = process.getuid?.() === 0;
const needsRoot = root ? {} : { skip: "needs root: it mounts and changes owners" };

t.test("a folder for worktrees on another disk", needsRoot, async (t) => {
  const { folder, worktrees } = await temporaryWorld(t);
  await makeRepository(folder, files);
  await mkdir(worktrees, { recursive: true });
  if ((await run(["mount", "-t", "tmpfs", "none", worktrees])).code !== 0) {
    return void t.pass("not run", { skip: "mount is refused here" });
  }
  t.teardown(() => run(["umount", worktrees]));
  await session(t, folder);
  t.strictSame((await run(["ls", worktrees])).stdout, "");
});

t.test("a .git that cannot be written, and one of another user", needsRoot, async (t) => {
  const { folder } = await temporaryWorld(t);
  await makeRepository(folder, files);
  const git = join(folder, ".git");
  const mounted = (await run(["mount", "--bind", git, git])).code === 0 &&
    (await run(["mount", "-o", "remount,ro,bind", git])).code === 0;
  if (!mounted) return void t.pass("not run", { skip: "mount is refused here" });
  t.teardown(() => run(["umount", git]));
  const readOnly = await session(t, folder);
  t.equal(readOnly.branch, undefined);
  t.match(
    readOnly.notes,
    /A copy without a branch: the repository cannot be written \(.*unable to create/,
  );
  await run(["umount", git]);
  await run(["chown", "-R", "65534:65534", folder]);
  const foreign = await session(t, folder);
  t.equal(foreign.branch, undefined);
  t.match(foreign.notes, /A copy without a branch: detected dubious ownership/);
});

t.test("line ends that git changes on the way, in both directions", async (t) => {
  const { folder, home } = await temporaryWorld(t);
  await makeRepository(folder, {
    ...files,
    ".gitattributes": "*.bat eol=crlf\n",
    "run.bat": "one\r\ntwo\r\n",
  });
  for (const autocrlf of ["true", "input"]) {
    await writeFiles(home, { ".gitconfig": `[core]\n\tautocrlf = ${autocrlf}\n\tsafecrlf = true\n` });
    await withVariables({ HOME: home, XDG_CONFIG_HOME: undefined }, async () => {
      const { text } = await session(t, folder);
      t.equal(
        text,
        "1\ntwo\nthree\n",
        `autocrlf=${autocrlf}: the commit holds what it held, but for the fix`,
      );
    });
  }
});

t.test("filters that keep other bytes in git than on the disk", async (t) => {
  const { folder } = await temporaryWorld(t);
  await makeRepository(folder, { "package.json": files["package.json"] });
  userGit(folder, "config", "filter.upper.clean", "tr a-z A-Z");
  userGit(folder, "config", "filter.upper.smudge", "tr A-Z a-z");
  userGit(folder, "config", "filter.upper.required", "true");
  await writeFiles(folder, { ...files, ".gitattributes": "*.txt filter=upper\n" });
  userGit(folder, "add", "--all");
  userGit(folder, "commit", "--quiet", "--message=filtered");
  const { text } = await session(t, folder);
  t.equal(text, "1\nTWO\nTHREE\n");
});

t.test("a filter that fails refuses the session with its words, and nothing is left", async (t) => {
  const { folder, worktrees } = await temporaryWorld(t);
  await makeRepository(folder, { ...files, ".gitattributes": "*.txt filter=lfs\n" });
  userGit(folder, "config", "filter.lfs.smudge", "echo no such object >&2; false");
  userGit(folder, "config", "filter.lfs.required", "true");
  const before = await photograph(folder);
  const error = await rejection(prepare(folder, { mode: "session" }));
  t.match(error, { code: "WORKTREE_FAILED", context: { output: /no such object/ } });
  t.strictSame(await changesSince(before, folder, { branch: false }), []);
  t.equal((await run(["ls", worktrees])).stdout, "");
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
