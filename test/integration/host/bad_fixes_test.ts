// test: timeout=200
/** Fixes that must not be, or nearly: each is made exactly, or refused with the reason and nothing changed. */
import { execFileSync } from "node:child_process";
import { rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import type { Edit } from "../../../machines/model/fix.ts";
import { applyFix } from "../../../src/fixes/apply_fix.ts";
import { readHistory } from "../../../src/git/history.ts";
import { revertFix } from "../../../src/fixes/revert_fix.ts";
import { rejection } from "../../src/session/helpers.ts";
import { fix, session, standing } from "./odd_session.ts";

t.setTimeout(180_000);

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
  "PTH's own state": [[{ path: ".pth/session-state.json", content: "{}" }], /PTH's own state/],
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
