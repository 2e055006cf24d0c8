import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { applyFix } from "../../../src/fixes/apply_fix.ts";
import { planRevert, revertFix } from "../../../src/fixes/revert_fix.ts";
import { fingerprint, rejection, request, session, textOf, userGit } from "./helpers.ts";

const nothing = () => false;

t.test("a revert is a commit that says what it takes back; later fixes of other lines stay", async (t) => {
  const { branch, plugin, folder } = await session(t);
  const fix = await applyFix(
    branch,
    request([
      { path: "src/a.ts", find: "one", replace: "1" },
      { path: "new.ts", content: "new\n" },
      { from: "src/windows.txt", to: "src/w.txt" },
    ], { title: "count", tests: ["A\nB"], category: "timeout" }),
  );
  await applyFix(branch, request([{ path: "src/a.ts", find: "eight", replace: "8" }]));
  await writeFile(join(plugin, "notes.txt"), "uncommitted, and of nobody's concern");
  const revert = await revertFix(branch, fix.commit.slice(0, 10));
  t.match(revert, {
    type: "revert",
    title: "count",
    tests: ["A\nB"],
    category: "timeout",
    reverts: fix.commit,
    files: ["new.ts", "src/a.ts", "src/w.txt", "src/windows.txt"],
  });
  t.equal(userGit(folder, "log", "-1", "--format=%s", branch.branch).trim(), "revert: count");
  t.equal(await textOf(plugin, "src/a.ts"), "one\ntwo\nthree\nfour\nfive\nsix\nseven\n8\n");
  t.equal(await textOf(plugin, "new.ts"), undefined);
  t.equal(await textOf(plugin, "src/windows.txt"), "one\r\ntwo\r\nthree\r\n");
  t.equal(await textOf(plugin, "notes.txt"), "uncommitted, and of nobody's concern");
  t.equal(userGit(plugin, "status", "--porcelain").trim(), "?? notes.txt");
});

t.test("a conflict changes nothing and shows files, places and the commits in the way", async (t) => {
  const { branch, plugin, folder } = await session(t, { within: "sub dir" });
  const first = await applyFix(
    branch,
    request([{ path: "src/a.ts", find: "four", replace: "4" }, { path: "gone.ts", content: "x\n" }]),
  );
  await applyFix(branch, request([{ path: "src/a.ts", find: "4", replace: "vier" }], { title: "in German" }));
  await applyFix(branch, request([{ path: "gone.ts", find: "x", replace: "y" }]));
  const before = await fingerprint(plugin, nothing);
  const head = userGit(folder, "rev-parse", branch.branch);
  const error = await rejection(revertFix(branch, first.commit));
  t.equal(error.code, "REVERT_CONFLICT");
  t.match(error.message, /later changes of gone.ts, src\/a.ts conflict; nothing was changed/);
  const conflicts = error.context["conflicts"] as { path: string; hunks: string[] }[];
  t.strictSame(conflicts.map(({ path }) => path), ["gone.ts", "src/a.ts"]);
  t.match(conflicts[1]?.hunks[0], /<<<<<<< now\nvier\n=======\nfour\n>>>>>>> before the fix/);
  t.match(error.context["laterCommits"], [/fix: mend it/, /fix: in German/]);
  t.equal(await fingerprint(plugin, nothing), before);
  t.equal(userGit(folder, "rev-parse", branch.branch), head);
  t.equal(userGit(plugin, "status", "--porcelain"), "");
});

t.test("uncommitted changes in the way are kept, and said", async (t) => {
  const { branch, plugin } = await session(t);
  const fix = await applyFix(branch, request([{ path: "src/a.ts", find: "one", replace: "1" }]));
  await writeFile(join(plugin, "src/a.ts"), "my own work\n");
  for (const attempt of [planRevert, revertFix]) {
    const error = await rejection(attempt(branch, fix.commit));
    t.equal(error.code, "EDIT_FAILED");
    t.match(error.message, /uncommitted changes are in the way/);
  }
  t.equal(await textOf(plugin, "src/a.ts"), "my own work\n");
});

t.test("only the session's own commits can be reverted, and only once", async (t) => {
  const { branch, folder } = await session(t);
  const fix = await applyFix(branch, request([{ path: "src/a.ts", find: "one", replace: "1" }]));
  const base = userGit(folder, "rev-parse", "main").trim();
  for (const name of [base, "deadbeef", "main", "--all", "HEAD~1", "a b"]) {
    t.equal((await rejection(revertFix(branch, name))).code, "NO_SUCH_COMMIT", name);
  }
  await revertFix(branch, "HEAD");
  t.match((await rejection(revertFix(branch, fix.commit))).message, /already undone/);
});

t.test("hooks and signing do not stop a revert", async (t) => {
  const { branch, folder } = await session(t);
  const fix = await applyFix(branch, request([{ path: "src/a.ts", find: "one", replace: "1" }]));
  for (const hook of ["pre-commit", "post-checkout", "reference-transaction", "post-index-change"]) {
    await writeFile(join(folder, ".git/hooks", hook), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
  }
  userGit(folder, "config", "commit.gpgsign", "true");
  userGit(folder, "config", "gpg.program", "/bin/false");
  t.equal((await revertFix(branch, fix.commit)).type, "revert");
});
