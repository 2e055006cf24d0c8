import { Buffer } from "node:buffer";
import { chmod, mkdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import t from "tap";
import type { FixRequest } from "../../../machines/model/fix.ts";
import { applyFix, checkFix } from "../../../src/fixes/apply_fix.ts";
import { writeState } from "../../../src/git/file_state.ts";
import { openConfined } from "../../../src/platform/confined/open_confined.ts";
import { fingerprint, rejection, request, session, textOf, userGit, writeFiles } from "./helpers.ts";
import { writeChanges } from "../../../src/fixes/edited_files.ts";

const nothing = () => false;

t.test("a line edit becomes one commit with trailers, of its files alone", async (t) => {
  const { branch, plugin, folder } = await session(t);
  await writeFiles(plugin, { "notes.txt": "not of the fix\n" });
  userGit(plugin, "add", "notes.txt");
  const fix = await applyFix(
    branch,
    request([{ path: "./src/a.ts", find: "three", replace: "drei" }], {
      tests: ["adds\nnumbers", "adds\nnumbers"],
      title: "fix: count in German",
      body: "As asked.",
      category: "wrong-output",
      iteration: 2,
    }),
  );
  t.match(fix, {
    type: "fix",
    title: "count in German",
    body: "As asked.",
    tests: ["adds\nnumbers"],
    category: "wrong-output",
    files: ["src/a.ts"],
    iteration: 2,
  });
  t.equal(userGit(folder, "rev-parse", branch.branch).trim(), fix.commit);
  t.equal(userGit(folder, "rev-list", "--count", `main..${branch.branch}`).trim(), "1");
  t.equal(userGit(folder, "show", "--format=", "--name-only", fix.commit).trim(), "src/a.ts");
  t.match(userGit(folder, "log", "-1", "--format=%(trailers:key=PTH-Test)", fix.commit), "adds\\nnumbers");
  t.equal(userGit(folder, "log", "-1", "--format=%s", fix.commit).trim(), "fix: count in German");
  t.equal(userGit(plugin, "diff", "--cached", "--name-only").trim(), "notes.txt", "stays staged, by itself");
});

t.test("edits of one file build on each other; files come, go and move", async (t) => {
  const { branch, plugin } = await session(t);
  await chmod(join(plugin, "src/a.ts"), 0o755);
  const fix = await applyFix(
    branch,
    request([
      { path: "src/a.ts", find: "one\n", replace: "" },
      { path: "src/a.ts", find: "two\nthree", replace: "2\n3" },
      { from: "src/a.ts", to: "lib/deep/b.ts" },
      { path: "lib/deep/b.ts", find: "2", replace: "two" },
      { path: "src/windows.txt", delete: true },
      { path: "new file.txt", content: "new\n" },
    ]),
  );
  t.strictSame(fix.files, ["lib/deep/b.ts", "new file.txt", "src/a.ts", "src/windows.txt"]);
  t.match(await textOf(plugin, "lib/deep/b.ts"), /^two\n3\nfour\n/);
  t.equal((await stat(join(plugin, "lib/deep/b.ts"))).mode & 0o777, 0o755);
  t.equal(await textOf(plugin, "new file.txt"), "new\n");
  t.equal(await stat(join(plugin, "src")).catch(() => "gone"), "gone", "an empty folder goes with its file");
  t.equal(userGit(plugin, "status", "--porcelain"), "");
});

const bad: [string, FixRequest["edits"][number], RegExp][] = [
  ["out of the folder", { path: "../x", content: "" }, /leads out of/],
  ["in a roundabout way", { path: "src/../../x", content: "" }, /leads out of/],
  ["absolute", { path: "/etc/passwd", content: "" }, /absolute/],
  ["the git folder", { path: ".git/config", content: "" }, /\.git/],
  ["the git file", { path: ".git", content: "" }, /\.git/],
  ["written otherwise", { path: "src/.GIT/hooks/x", content: "" }, /\.git/],
  ["PTH's lock", { path: ".pth/active-session.lock", content: "" }, /lock of the session/],
  ["through a link", { path: "out/x", content: "" }, /out is a symbolic link/],
  ["a link", { path: "link.txt", find: "a", replace: "b" }, /symbolic link to/],
  ["a folder", { path: "src", content: "" }, /is a folder/],
  ["a folder with a slash", { path: "src/", delete: true }, /names a folder/],
  ["a file as a folder", { path: "package.json/x", content: "" }, /./],
  ["nothing", { path: "", content: "" }, /names no file/],
  [
    "a file that is not there",
    { path: "src/b.ts", find: "a", replace: "b" },
    /no such file; did you mean src\/a.ts/,
  ],
  ["deleting what is not there", { path: "nope", delete: true }, /no such file/],
  ["moving onto another", { from: "src/a.ts", to: "package.json" }, /there already/],
  ["a picture", { path: "logo.png", find: "a", replace: "b" }, /binary/],
  ["an ignored file", { path: "dist/index.js", content: "x" }, /ignored by git/],
  ["prose as a patch", { patch: "please change it" }, /no unified diff/],
  ["a patch of elsewhere", { patch: "--- a/../../x\n+++ b/../../x\n@@ -0,0 +1 @@\n+x\n" }, /leads out of/],
  [
    "a patch that does not fit",
    { patch: "--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1 +1 @@\n-zero\n+0\n" },
    /cannot apply/,
  ],
];

t.test("an edit that must not be, or does not apply, changes nothing at all", async (t) => {
  const { branch, plugin, folder } = await session(t);
  await symlink("/tmp", join(plugin, "out"));
  await symlink("src/a.ts", join(plugin, "link.txt"));
  await writeFile(join(plugin, "logo.png"), new Uint8Array([137, 80, 78, 71, 0, 97]));
  const before = await fingerprint(plugin, nothing);
  for (const [name, edit, reason] of bad) {
    const error = await rejection(applyFix(
      branch,
      request([{ path: "src/a.ts", find: "one", replace: "1" }, edit]),
    ));
    t.equal(error.code, "EDIT_FAILED", name);
    t.match(error.message, /nothing was changed/, name);
    t.match(`${error.message}\n${error.context["output"]}`, reason, name);
    t.equal(await fingerprint(plugin, nothing), before, name);
  }
  t.equal(userGit(folder, "rev-list", "--count", `main..${branch.branch}`).trim(), "0");
});

t.test("all bad edits are named at once, by number", async (t) => {
  const { branch } = await session(t);
  const error = await rejection(applyFix(
    branch,
    request([
      { path: "src/a.ts", find: "nine", replace: "9" },
      { path: "src/a.ts", find: "one", replace: "1" },
      { path: "src/a.ts", find: "e", replace: "E" },
    ]),
  ));
  t.match(error.message, "2 of 3 edits do not apply");
  t.match(
    error.context["output"],
    /edit 1 \(src\/a.ts\): `find` occurs 0 times[^]*edit 3 .*occurs 6 times \(lines 3, 5, 7, 8\)/,
  );
});

t.test("what changes nothing is no fix", async (t) => {
  const { branch, plugin } = await session(t);
  const same = await rejection(applyFix(
    branch,
    request([{ path: "package.json", content: await textOf(plugin, "package.json") ?? "" }]),
  ));
  t.match(same.message, /already as the edits make them/);
  t.equal((await rejection(applyFix(branch, request([])))).code, "INVALID_INPUT");
  const untitled = request([{ path: "x", content: "x" }], { title: " fix: " });
  t.equal((await rejection(applyFix(branch, untitled))).code, "INVALID_INPUT");
});

t.test("a unified diff applies: with and without a/ and b/, miscounted, to Windows line ends, with new files", async (t) => {
  const { branch, plugin } = await session(t);
  await applyFix(
    branch,
    request([{ patch: "--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1,2 +1,2 @@\n-one\n+1\n two\n" }]),
  );
  await applyFix(
    branch,
    request([{ patch: "--- src/a.ts\n+++ src/a.ts\n@@ -1,3 +1,3 @@\n 1\n-two\n+2\n three\n" }]),
  );
  await applyFix(
    branch,
    request([{ patch: "--- a/src/a.ts\n+++ b/src/a.ts\n@@ -2,9 +2,7 @@\n 2\n-three\n+3\n+3b\n four" }]),
  );
  t.match(await textOf(plugin, "src/a.ts"), /^1\n2\n3\n3b\nfour\n/);
  await applyFix(
    branch,
    request([{
      patch: "--- a/src/windows.txt\n+++ b/src/windows.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+zwei\n" +
        "--- /dev/null\n+++ b/src/new.ts\n@@ -0,0 +1 @@\n+new\n",
    }]),
  );
  t.equal(await textOf(plugin, "src/windows.txt"), "one\r\nzwei\r\nthree\r\n");
  t.equal(await textOf(plugin, "src/new.ts"), "new\n");
  const renamed =
    "diff --git a/src/new.ts b/src/old.ts\nsimilarity index 100%\nrename from src/new.ts\nrename to src/old.ts\n";
  await applyFix(branch, request([{ patch: renamed }]));
  t.equal(await textOf(plugin, "src/old.ts"), "new\n");
  t.equal(userGit(plugin, "status", "--porcelain"), "");
});

t.test("a write that fails midway leaves every file as it was", async (t) => {
  const { branch, plugin } = await session(t);
  const edits = request([
    { path: "src/a.ts", find: "one", replace: "1" },
    { path: "deep/er/new.txt", content: "new" },
    { path: "src/windows.txt", delete: true },
    { path: "zzz.txt", content: "last" },
  ]);
  const before = await fingerprint(plugin, nothing);
  const changes = await checkFix(branch, edits);
  const failing: typeof writeState = (folder, path, state) =>
    path.endsWith("zzz.txt")
      ? Promise.reject(Object.assign(new Error("No space left on device"), { code: "ENOSPC" }))
      : writeState(folder, path, state);
  const error = await rejection(writeChanges(openConfined(plugin), changes, failing));
  t.equal(error.code, "DISK_FULL");
  t.equal(await fingerprint(plugin, nothing), before);
  t.equal(await stat(join(plugin, "deep")).catch(() => "gone"), "gone");
});

t.test("a commit that fails takes the edits back", async (t) => {
  const { branch, plugin, folder } = await session(t);
  const before = await fingerprint(plugin, nothing);
  const ref = join(folder, ".git/refs/heads", `${branch.branch}.lock`);
  await writeFile(ref, "");
  const error = await rejection(applyFix(branch, request([{ path: "src/a.ts", find: "one", replace: "1" }])));
  t.equal(error.code, "COMMIT_FAILED");
  t.equal(await fingerprint(plugin, nothing), before);
  t.equal(userGit(plugin, "status", "--porcelain"), "");
  await rm(ref);
  await applyFix(branch, request([{ path: "src/a.ts", find: "one", replace: "1" }]));
});

t.test("a worktree that somebody checked out elsewhere is not committed to", async (t) => {
  const { branch, plugin } = await session(t);
  userGit(plugin, "checkout", "--quiet", "-b", "elsewhere");
  const error = await rejection(applyFix(branch, request([{ path: "src/a.ts", find: "one", replace: "1" }])));
  t.match(error.message, /the worktree is on elsewhere/);
  t.match(await textOf(plugin, "src/a.ts"), /^one\n/);
});

t.test("hooks that reject, signing that fails and a missing identity are nothing to PTH", async (t) => {
  const { branch, folder } = await session(t);
  for (
    const hook of ["pre-commit", "commit-msg", "prepare-commit-msg", "post-commit", "reference-transaction"]
  ) {
    await writeFile(join(folder, ".git/hooks", hook), "#!/bin/sh\ntouch hook-ran\nexit 1\n", { mode: 0o755 });
  }
  for (const setting of ["commit.gpgsign=true", "gpg.program=/bin/false", "user.useConfigOnly=true"]) {
    userGit(folder, "config", ...setting.split("="));
  }
  const home = Object.entries({
    HOME: "/nonexistent",
    GIT_CONFIG_NOSYSTEM: "1",
    XDG_CONFIG_HOME: "/nonexistent",
  });
  const saved = home.map(([name]) => [name, process.env[name]] as const);
  for (const [name, value] of home) process.env[name] = value;
  try {
    const { commit } = await applyFix(branch, request([{ path: "src/a.ts", find: "one", replace: "1" }]));
    t.equal(
      userGit(folder, "log", "-1", "--format=%an <%ae>", commit).trim(),
      "Plugin Test Harness <pth@localhost>",
    );
    userGit(folder, "config", "user.name", "Me");
    userGit(folder, "config", "user.email", "me@example.com");
    const second = await applyFix(branch, request([{ path: "src/a.ts", find: "two", replace: "2" }]));
    t.equal(userGit(folder, "log", "-1", "--format=%an <%ae>", second.commit).trim(), "Me <me@example.com>");
  } finally {
    for (const [name, value] of saved) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
  t.equal(await textOf(branch.worktree, "hook-ran"), undefined);
});

t.test("a .git that the environment rewrote is not believed", async (t) => {
  const { branch, plugin, folder } = await session(t);
  await rm(join(plugin, ".git"));
  await mkdir(join(plugin, ".git"));
  await writeFile(
    join(plugin, ".git/config"),
    '[core]\n\tfsmonitor = "touch /tmp/pth-owned"\n\trepositoryformatversion = 0\n',
  );
  const { commit } = await applyFix(branch, request([{ path: "src/a.ts", find: "one", replace: "1" }]));
  t.equal(userGit(folder, "rev-parse", branch.branch).trim(), commit);
});

t.test("a plugin in a subfolder names its files from there", async (t) => {
  const { branch, folder, plugin } = await session(t, {
    within: "packages/my plugin",
    more: { "../other.txt": "x" },
  });
  const fix = await applyFix(branch, request([{ path: "src/a.ts", find: "one", replace: "1" }]));
  t.strictSame(fix.files, ["src/a.ts"]);
  t.equal(
    userGit(folder, "show", "--format=", "--name-only", fix.commit).trim(),
    "packages/my plugin/src/a.ts",
  );
  const out = await rejection(applyFix(branch, request([{ path: "../other.txt", content: "y" }])));
  t.match(out.message, /leads out of/);
  t.match(await textOf(plugin, "src/a.ts"), /^1\n/);
});

t.test("a new file's bytes are exactly its content", async (t) => {
  const { branch, plugin } = await session(t);
  const content = "ü 🎉\r\nmixed\nno end";
  await applyFix(branch, request([{ path: "ünï/ç ode.txt", content }]));
  t.equal(Buffer.compare(await readFile(join(plugin, "ünï/ç ode.txt")), Buffer.from(content)), 0);
  t.equal(userGit(plugin, "status", "--porcelain"), "");
});

t.test("a secret's value does not get into git, nor into the message", async (t) => {
  const { branch, plugin } = await session(t, { more: { "known.txt": "tok-3n-secret, long in git\n" } });
  const secrets = ["tok-3n-secret"];
  const leak = request([{ path: "src/a.ts", find: "one", replace: "tok-3n-secret" }]);
  t.equal((await rejection(applyFix(branch, leak, secrets))).code, "INVALID_INPUT");
  t.match(await textOf(plugin, "src/a.ts"), /^one/);
  await writeFiles(plugin, { "new.env": "a=1\nTOKEN=tok-3n-secret\n", "src/b.ts": "tok-3n-secret\none\n" });
  for (
    const edit of [{ path: "new.env", find: "a=1", replace: "a=2" }, { from: "src/b.ts", to: "src/c.ts" }]
  ) {
    const error = await rejection(applyFix(branch, request([edit]), secrets));
    t.equal(error.code, "INVALID_INPUT", "a file that git does not hold yet is judged as a whole");
  }
  const known = request([{ path: "known.txt", find: "long", replace: "short" }], {
    title: "use tok-3n-secret",
    body: "the tok-3n-secret",
  });
  const { commit } = await applyFix(branch, known, secrets);
  t.notMatch(userGit(plugin, "log", "-1", "--format=%B", commit), /tok-3n/);
});
