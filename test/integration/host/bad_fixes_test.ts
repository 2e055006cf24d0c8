// test: timeout=200
/** Fixes and reverts that must not be, or nearly: each is made exactly, or refused with the reason and nothing changed. */
import { execFileSync } from "node:child_process";
import { mkdir, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { Buffer } from "node:buffer";
import { join } from "node:path";
import t, { type Test } from "tap";
import type { Edit } from "../../../machines/model/fix.ts";
import { applyFix } from "../../../src/fixes/apply_fix.ts";
import { commitFiles } from "../../../src/fixes/commit_files.ts";
import { writeMessage } from "../../../src/fixes/commit_message.ts";
import { readHistory } from "../../../src/fixes/history.ts";
import { revertFix } from "../../../src/fixes/revert_fix.ts";
import { branchOf, type SessionBranch } from "../../../src/fixes/session_branch.ts";
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

t.setTimeout(180_000);

const files = {
  "package.json": '{"name":"demo","version":"1.0.0"}\n',
  ".gitignore": "dist/\n*.log\n",
  "a.txt": "one\ntwo\nthree\nfour\nfive\nsix\nseven\n",
  "windows.txt": "one\r\ntwo\r\n",
  "open end.txt": "one\ntwo",
  "sub/b.txt": "b\n",
};

/** What a session must not lose: its commits, what is staged, and every file of the worktree. */
async function standing(branch: SessionBranch) {
  const git = (...args: string[]) =>
    execFileSync("git", ["--git-dir", branch.gitDir, "--work-tree", branch.worktree, ...args], {
      encoding: "utf8",
      cwd: branch.worktree,
    });
  return {
    head: git("rev-parse", "HEAD", branch.branch),
    staged: git("diff", "--cached", "--stat"),
    files: [...await photograph(branch.worktree, { shared: false })],
  };
}

/** Files that were written and put back have other times. */
const withoutTimes = ({ files, ...rest }: Awaited<ReturnType<typeof standing>>) => ({
  ...rest,
  files: files.map(([path, line]) => [path, line.replace(/ \d{15,} /, " ")]),
});

/** A session with links, binary, ignored and foreign files in its worktree; the author's checkout is looked at at its end. */
async function session(t: Test) {
  const { folder, worktrees } = await temporaryWorld(t);
  const module = join(worktrees, "module");
  await mkdir(module, { recursive: true });
  await makeRepository(module, { "x.txt": "x\n" });
  await makeRepository(folder, files);
  await writeFile(join(folder, "image.bin"), Buffer.from([1, 0, 2, 0, 255, 10, 1]));
  await symlink("a.txt", join(folder, "link.txt"));
  await symlink("../..", join(folder, "way out"));
  await symlink("sub", join(folder, "inner"));
  userGit(folder, "submodule", "--quiet", "add", module, "vendor/there");
  userGit(folder, "submodule", "--quiet", "add", module, "vendor/absent");
  userGit(folder, "add", "--all");
  userGit(folder, "commit", "--quiet", "--message=more");
  userGit(folder, "submodule", "--quiet", "deinit", "--force", "vendor/absent");
  const before = await photograph(folder);
  const { register, ...source } = await prepare(folder, { mode: "session" });
  const branch = branchOf(source)!;
  const end = async () => {
    t.match(await removeSource(source, { register }), { leftBehind: [] });
    t.strictSame(await changesSince(before, folder), [], "the author's checkout is as it was");
  };
  await writeFiles(source.worktree, { "dist/out.js": "built\n", "new.txt": "not in git\n" });
  execFileSync("mkfifo", [join(source.worktree, "pipe")]);
  const nested = join(source.worktree, "nested");
  await mkdir(nested);
  await makeRepository(nested, { "y.txt": "y\n" });
  return { source, branch, end };
}

const fix = (edits: Edit[], more: Partial<Parameters<typeof applyFix>[1]> = {}) => ({
  tests: ["a test"],
  title: "mend it",
  edits,
  ...more,
});

/** A patch of one file, as `git diff` writes it. */
const patchOf = (header: string, ...lines: string[]): Edit => ({ patch: [header, ...lines, ""].join("\n") });

/** Name of the case: the edits, and what the refusal says. */
const refusals: Record<string, [Edit[], RegExp]> = {
  "a path that leads out": [[{ path: "../out.txt", content: "x" }], /leads out of the plugin's folder/],
  "a path that leads out and in": [[{ path: "sub/../../x/a.txt", content: "x" }], /leads out/],
  "an absolute path": [[{ path: "/tmp/out.txt", content: "x" }], /absolute/],
  "a link to a file": [[{ path: "link.txt", find: "one", replace: "1" }], /symbolic link to a.txt/],
  "a link to a file, replaced": [[{ path: "link.txt", content: "x" }], /symbolic link to a.txt/],
  "a way through a link that leads out": [
    [{ path: "way out/x", content: "x" }],
    /symbolic link to \.\.\/\.\./,
  ],
  "a way through a link within": [
    [{ path: "inner/b.txt", find: "b", replace: "c" }],
    /name the file by its real path/,
  ],
  "a hook": [[{ path: ".git/hooks/pre-commit", content: "x" }], /lies in \.git/],
  "git's folder in capitals": [[{ path: "sub/.GIT/config", content: "x" }], /lies in \.git/],
  "the worktree's own .git": [[{ path: ".git", content: "gitdir: /tmp\n" }], /lies in \.git/],
  "the lock": [[{ path: ".pth/active-session.lock", delete: true }], /lock of the session/],
  "a name with NUL": [[{ path: "a\0b", content: "x" }], /NUL/],
  "no name": [[{ path: " ", content: "x" }], /names no file/],
  "a folder": [[{ path: "sub", content: "x" }], /is a folder/],
  "a folder with a slash": [[{ path: "sub/", delete: true }], /names a folder/],
  "a file as a folder": [[{ path: "a.txt/x", content: "x" }], /a\.txt is a file/],
  "a pipe": [[{ path: "pipe", content: "x" }], /no ordinary file/],
  "a piece of a binary file": [[{ path: "image.bin", find: "\x01", replace: "2" }], /binary/],
  "an ignored file": [[{ path: "dist/out.js", find: "built", replace: "mended" }], /ignored by git/],
  "a new ignored file": [[{ path: "x.log", content: "x" }], /ignored by git/],
  "a file of a submodule": [
    [{ path: "vendor/there/x.txt", find: "x", replace: "y" }],
    /lies in vendor\/there, a submodule/,
  ],
  "a file of a submodule that is not there": [
    [{ path: "vendor/absent/z", content: "z" }],
    /lies in vendor\/absent, a submodule/,
  ],
  "a file of a repository within": [
    [{ path: "nested/y.txt", find: "y", replace: "z" }],
    /repository of its own/,
  ],
  "a move out": [[{ from: "a.txt", to: "../a.txt" }], /leads out/],
  "a move of what is outside": [[{ from: "../my plugin/a.txt", to: "b.txt" }], /leads out/],
  "a move onto another file": [[{ from: "a.txt", to: "sub/b.txt" }], /is there already/],
  "a file where a folder would go": [
    [{ path: "n", content: "" }, { path: "n/m", content: "" }],
    /n is a file/,
  ],
  "one good and one bad edit": [
    [{ path: "a.txt", find: "one", replace: "1" }, { path: "b", delete: true }],
    /no such file/,
  ],
  "a patch that leads out": [
    [patchOf("--- a/../../out.txt", "+++ b/../../out.txt", "@@ -0,0 +1 @@", "+x")],
    /leads out/,
  ],
  "a patch of an absolute path": [
    [patchOf("--- /dev/null", "+++ /tmp/out.txt", "@@ -0,0 +1 @@", "+x")],
    /absolute/,
  ],
  "a patch that moves a file out": [
    [patchOf(
      "diff --git a/a.txt b/a.txt",
      "similarity index 100%",
      "rename from a.txt",
      "rename to ../../a.txt",
    )],
    /leads out/,
  ],
  "a patch that copies a file into .git": [
    [patchOf(
      "diff --git a/a.txt b/x",
      "similarity index 100%",
      "copy from a.txt",
      "copy to .git/hooks/pre-commit",
    )],
    /lies in \.git/,
  ],
  "a patch that makes a link": [
    [patchOf(
      "diff --git a/l b/l",
      "new file mode 120000",
      "--- /dev/null",
      "+++ b/l",
      "@@ -0,0 +1 @@",
      "+/etc/passwd",
      "\\ No newline at end of file",
    )],
    /makes a link of l/,
  ],
  "a patch that makes a link and writes through it": [
    [patchOf(
      "diff --git a/l b/l",
      "new file mode 120000",
      "--- /dev/null",
      "+++ b/l",
      "@@ -0,0 +1 @@",
      "+/tmp",
      "\\ No newline at end of file",
      "diff --git a/l/x b/l/x",
      "new file mode 100644",
      "--- /dev/null",
      "+++ b/l/x",
      "@@ -0,0 +1 @@",
      "+x",
    )],
    /l/,
  ],
  "a patch that makes a submodule": [
    [patchOf(
      "diff --git a/m b/m",
      "new file mode 160000",
      "--- /dev/null",
      "+++ b/m",
      "@@ -0,0 +1 @@",
      "+Subproject commit 1234567890123456789012345678901234567890",
    )],
    /m/,
  ],
  "a patch through a link": [
    [patchOf("--- a/inner/b.txt", "+++ b/inner/b.txt", "@@ -1 +1 @@", "-b", "+c")],
    /real path/,
  ],
  "a patch with a file that it names in a way that is not understood": [
    [patchOf(
      "diff --git a/an empty file b/an empty file",
      "new file mode 100644",
      "index 0000000..e69de29",
      "--- a/a.txt",
      "+++ b/a.txt",
      "@@ -1 +1 @@",
      "-one",
      "+1",
    )],
    /./,
  ],
  "a patch of names in quotes": [
    [patchOf('--- "a/\\303\\274"', '+++ "b/\\303\\274"', "@@ -0,0 +1 @@", "+x")],
    /quotes/,
  ],
  "a patch that does not fit": [
    [patchOf("--- a/a.txt", "+++ b/a.txt", "@@ -1 +1 @@", "-uno", "+1")],
    /cannot apply/,
  ],
  "a patch that is none": [[{ patch: "please change one to 1" }], /no unified diff/],
  "a patch of an ignored file": [[
    patchOf("--- a/dist/out.js", "+++ b/dist/out.js", "@@ -1 +1 @@", "-built", "+x"),
  ], /ignored/],
};

t.test("what must not be edited is refused with the reason, and nothing is changed", async (t) => {
  const { branch, end } = await session(t);
  const before = await standing(branch);
  for (const [name, [edits, reason]] of Object.entries(refusals)) {
    const error = await rejection(applyFix(branch, fix(edits)));
    t.equal(error.code, "EDIT_FAILED", name);
    t.match(`${error.message}\n${error.context["output"]}`, reason, name);
    t.type(error.context["next"], Array, name);
  }
  t.strictSame(await standing(branch), before);
  await end();
});

t.test("files of every kind are mended to the byte", async (t) => {
  const { branch, source, end } = await session(t);
  const bytesOf = (path: string) =>
    execFileSync("git", ["-C", source.worktree, "cat-file", "blob", `HEAD:${path}`]).toString("latin1");
  const cases: [Edit, string, string][] = [
    [{ path: "windows.txt", find: "one\ntwo", replace: "1\n2" }, "windows.txt", "1\r\n2\r\n"],
    [
      patchOf("--- a/windows.txt", "+++ b/windows.txt", "@@ -1,2 +1,2 @@", "-1", "+uno", " 2"),
      "windows.txt",
      "uno\r\n2\r\n",
    ],
    [{ path: "windows.txt", content: "a\nb\n" }, "windows.txt", "a\r\nb\r\n"],
    [{ path: "open end.txt", find: "two", replace: "2" }, "open end.txt", "one\n2"],
    [
      patchOf(
        "--- a/open end.txt",
        "+++ b/open end.txt",
        "@@ -1,2 +1,2 @@",
        " one",
        "-2",
        "\\ No newline at end of file",
        "+two",
        "\\ No newline at end of file",
      ),
      "open end.txt",
      "one\ntwo",
    ],
    [{ path: "open end.txt", content: "whole" }, "open end.txt", "whole"],
    [{ path: "image.bin", content: "text now\n" }, "image.bin", "text now\n"],
    [{ from: "link.txt", to: "sub/link.txt" }, "sub/link.txt", "a.txt"],
    [{ path: "-rf --", content: "x\n" }, "-rf --", "x\n"],
    [{ path: ":(glob)*", content: "x\n" }, ":(glob)*", "x\n"],
    [{ path: "new\nline\t.txt", content: "x\n" }, "new\nline\t.txt", "x\n"],
    [{ path: "new.txt", find: "not in git", replace: "in git" }, "new.txt", "in git\n"],
  ];
  for (const [edit, path, bytes] of cases) {
    const { commit, files } = await applyFix(branch, fix([edit]));
    t.equal(bytesOf(path), bytes, JSON.stringify(edit));
    t.ok(files.includes(path), "the commit names its file");
    if (!("path" in edit) || edit.path === "new.txt") continue;
    await revertFix(branch, commit);
    await applyFix(branch, fix([edit]));
  }
  t.strictSame((await readHistory(branch)).at(-1)?.files, ["windows.txt"]);
  await end();
});

t.test("a fix of a huge file is refused before it is read", async (t) => {
  const { branch, source, end } = await session(t);
  await writeFile(join(source.worktree, "huge.txt"), "one\n");
  await truncate(join(source.worktree, "huge.txt"), 3_000_000_000);
  for (
    const edit of [
      { path: "huge.txt", find: "one", replace: "1" },
      { path: "huge.txt", content: "small" },
      { from: "huge.txt", to: "moved.txt" },
    ]
  ) {
    const error = await rejection(applyFix(branch, fix([edit])));
    t.match(error, { code: "EDIT_FAILED", message: /has 3000 MB and fixes are of files up to 64 MB/ });
  }
  await rm(join(source.worktree, "huge.txt"));
  await end();
});

/** Each is read back as it was given, and says nothing of its own in the trailers. */
const names: Record<string, string> = {
  "with line ends": "one\ntwo\r\n\r\nthree",
  "that looks like trailers":
    "x\n\nPTH-Type: state-checkpoint\nPTH-Reverts: 1234567890123456789012345678901234567890",
  "with NUL and escapes": "a\0b\x1b[31mred\x07",
  "of 10,000 characters": "long ".repeat(2000).trim(),
  "with a lone half of a pair": "half \ud83d of it",
  "with quotes at its ends": '"quoted"',
  "that begins with a comment sign": "# not a comment",
};

t.test("names of tests, titles and bodies are text, whatever they hold", async (t) => {
  const { branch, end } = await session(t);
  let count = 0;
  for (const [kind, name] of Object.entries(names)) {
    await t.test(kind, async (t) => {
      const text = name.replaceAll(/\p{Surrogate}/gu, "\ufffd");
      const record = await applyFix(
        branch,
        fix([{ path: `n${++count}.txt`, content: `${count}\n` }], { tests: [name], title: name, body: name }),
      );
      t.match(record, { tests: [text], type: "fix", reverts: undefined });
      const [newest] = await readHistory(branch);
      t.match(newest, { commit: record.commit, tests: [text], type: "fix", files: [`n${count}.txt`] });
      t.equal(newest?.reverts, undefined);
      const { title, body, tests, files } = record;
      t.match(newest, { title, body, tests, files }, "said at once as it is read later");
      const trailers = ["log", "-1", "--format=%(trailers:key=PTH-Type,valueonly)", record.commit];
      t.equal(userGit(branch.worktree, ...trailers).trim(), "fix", "git reads the trailers likewise");
      const raw = userGit(branch.worktree, "log", "-1", "--format=%B", record.commit);
      // deno-lint-ignore no-control-regex
      t.notMatch(raw, /[\x00-\x08\x0b-\x1f\x7f]/, "nothing in it that a terminal would obey");
    });
  }
  await end();
});

t.test("a body that speaks of a revert is none", async (t) => {
  const { branch, end } = await session(t);
  const first = await applyFix(branch, fix([{ path: "a.txt", find: "one", replace: "1" }]));
  await applyFix(
    branch,
    fix([{ path: "a.txt", find: "two", replace: "2" }], { body: `This reverts commit ${first.commit}.` }),
  );
  t.match((await readHistory(branch)).map(({ revertedBy }) => revertedBy), [undefined, undefined]);
  await end();
});

t.test("reverts: of reverts, with conflicts, of what is no fix of the session", async (t) => {
  const { branch, source, end } = await session(t);
  const one = await applyFix(branch, fix([{ path: "a.txt", find: "one", replace: "1" }]));
  const again = await applyFix(branch, fix([{ path: "a.txt", find: "1", replace: "uno" }]));
  const fresh = await applyFix(branch, fix([{ path: "fresh/x.txt", content: "x\n" }]));
  const gone = await applyFix(branch, fix([{ path: "sub/b.txt", find: "b", replace: "c" }]));
  await applyFix(branch, fix([{ path: "sub/b.txt", delete: true }]));
  await writeFiles(source.worktree, { ".pth/session-state.json": '{"iteration":1}\n' });
  const message = writeMessage({ type: "state-checkpoint", title: "iteration 1" });
  await commitFiles(branch, [".pth/session-state.json"], message);
  const checkpoint = userGit(source.worktree, "rev-parse", "HEAD").trim();
  const aside = userGit(
    source.worktree,
    "commit-tree",
    `${source.base}^{tree}`,
    "-p",
    source.base!,
    "-m",
    "x",
  );
  userGit(source.worktree, "merge", "--quiet", "--no-edit", aside.trim());
  const merge = userGit(source.worktree, "rev-parse", "HEAD").trim();
  const before = await standing(branch);

  const conflict = await rejection(revertFix(branch, one.commit));
  t.match(conflict, { code: "REVERT_CONFLICT", context: { conflicts: [{ path: "a.txt" }] } });
  t.match(conflict.context["output"], /<<<<<<< now\nuno\n[^]*one\n>>>>>>> before the fix/);
  t.match(conflict.context["output"], again.commit.slice(0, 7));
  const removed = await rejection(revertFix(branch, gone.commit));
  t.match(removed, {
    code: "REVERT_CONFLICT",
    context: { output: /one side changed what the other removed/ },
  });
  const refused: [string, string, RegExp][] = [
    [merge, "INVALID_INPUT", /it is a merge/],
    [checkpoint, "INVALID_INPUT", /checkpoint/],
    [source.base!, "NO_SUCH_COMMIT", /not one of the session's own/],
    ["main", "NO_SUCH_COMMIT", /no such commit/],
    ["--all", "NO_SUCH_COMMIT", /no such commit/],
    ["HEAD; touch x", "NO_SUCH_COMMIT", /no such commit/],
    ["", "NO_SUCH_COMMIT", /no such commit/],
  ];
  for (const [name, code, message] of refused) {
    t.match(await rejection(revertFix(branch, name)), { code, message }, name);
  }
  t.strictSame(await standing(branch), before, "worktree, index and branch are clean after every refusal");

  const lock = join(branch.gitDir, "../../refs/heads", `${branch.branch}.lock`);
  await writeFile(lock, "");
  for (const name of [again.commit, fresh.commit]) {
    t.match(await rejection(revertFix(branch, name)), {
      code: "COMMIT_FAILED",
      context: { transient: true },
    });
  }
  await rm(lock);
  t.strictSame(
    withoutTimes(await standing(branch)),
    withoutTimes(before),
    "a branch that is locked: put back",
  );

  let last = await revertFix(branch, again.commit);
  for (const text of ["uno", "1", "uno"]) {
    last = await revertFix(branch, last.commit);
    t.match(await textOf(source.worktree, "a.txt"), `${text}\n`, `revert of revert: ${text}`);
  }
  t.match(last.title, /mend it/);
  t.ok(last.title.length < 80, "titles do not grow with every revert");
  await end();
});
