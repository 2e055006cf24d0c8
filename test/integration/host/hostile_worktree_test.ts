// test: timeout=120
/**
 * What a plugin makes of the folder that it shares with PTH: nothing in it makes git on the host run code, and nothing
 * outside it is written.
 */
import { chmod, mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import t, { type Test } from "tap";
import { applyFix } from "../../../src/fixes/apply_fix.ts";
import { commitUncommitted } from "../../../src/fixes/commit_uncommitted.ts";
import { diffSession } from "../../../src/fixes/diff_session.ts";
import { findPatterns } from "../../../src/fixes/find_patterns.ts";
import { readHistory } from "../../../src/git/history.ts";
import { revertFix } from "../../../src/fixes/revert_fix.ts";
import { branchOf, checkOut } from "../../../src/git/session_branch.ts";
import { changesIn, openCheckout } from "../../../src/fixers/fixer_checkout.ts";
import { runCommand } from "../../../src/platform/process.ts";
import { removeSource } from "../../../src/session/remove_source.ts";
import { saveUncommittedWork } from "../../../src/session/resume/save_uncommitted_work.ts";
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

t.setTimeout(100_000);

const files = { "package.json": '{"name":"demo"}\n', "a.txt": "one\n\n\n\n\n\ntwo\n", "sub/b.txt": "b\n" };

/** A session on a repository with a submodule; `trace` is where code that ran would say so. */
async function session(t: Test) {
  const { folder, worktrees, home } = await temporaryWorld(t);
  const module = join(worktrees, "module");
  await mkdir(module, { recursive: true });
  await makeRepository(module, { "x.txt": "x\n" });
  await makeRepository(folder, files);
  userGit(folder, "submodule", "--quiet", "add", module, "vendor/module");
  userGit(folder, "commit", "--quiet", "--message=submodule");
  const before = await photograph(folder);
  const { register, ...source } = await prepare(folder, { mode: "session" });
  const end = async () => {
    t.match(await removeSource(source, { register }), { leftBehind: [] });
    t.strictSame(await changesSince(before, folder), [], "the author's checkout is as it was");
  };
  return { source, branch: branchOf(source)!, end, trace: join(home, "trace"), home };
}

/** Makes a folder of the worktree a repository whose configuration runs programs wherever git lets it. */
async function trap(folder: string, trace: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFiles(folder, { "x.txt": "x\n", ".gitattributes": "* filter=evil diff=evil merge=evil\n" });
  userGit(folder, "init", "--quiet");
  userGit(folder, "add", "--all");
  userGit(folder, "commit", "--quiet", "--message=trap");
  const program = join(folder, "evil");
  await writeFile(program, `#!/bin/sh\necho "$0 $@" >> "${trace}"\ncat\n`);
  await chmod(program, 0o755);
  for (
    const key of [
      "filter.evil.clean",
      "filter.evil.smudge",
      "diff.evil.command",
      "diff.evil.textconv",
      "merge.evil.driver",
      "core.fsmonitor",
      "core.sshCommand",
      "core.editor",
      "core.pager",
      "credential.helper",
      "gpg.program",
      "diff.external",
    ]
  ) userGit(folder, "config", key, `"${program}"`);
  userGit(folder, "config", "core.hooksPath", folder);
  for (const hook of ["post-index-change", "post-checkout", "reference-transaction", "pre-commit"]) {
    await writeFile(join(folder, hook), `#!/bin/sh\necho ${hook} >> "${trace}"\n`, { mode: 0o755 });
  }
  // As long as before: only its filter can tell whether it differs.
  await writeFiles(folder, { "x.txt": "y\n" });
}

t.test("repositories that a plugin makes in its folder are no way to run code on the host", async (t) => {
  const { source, branch, end, trace } = await session(t);
  const { worktree } = source;
  await writeFiles(worktree, {
    ".gitmodules": '[submodule "vendor/module"]\n\tpath = vendor/module\n\turl = ext::sh\n\tignore = none\n',
  });
  for (const within of ["vendor/module", "nested", "sub/deep"]) await trap(join(worktree, within), trace);
  const trusting = ["--git-dir", branch.gitDir, "-C", worktree, "-c", "core.fsmonitor=false"];
  await runCommand(["git", ...trusting, "-c", "core.hooksPath=/dev/null", "status", "--porcelain"]);
  t.match(await textOf(trace), /evil/, "a git that is less careful runs code");
  await rm(join(worktree, ".git"));
  await trap(worktree, trace);
  await rm(trace);

  const edit = (find: string, replace: string) => ({
    tests: ["t"],
    title: "mend it",
    edits: [{ path: "a.txt", find, replace }],
  });
  const fix = await applyFix(branch, edit("one", "1"));
  await applyFix(branch, edit("two", "2"));
  await revertFix(branch, fix.commit);
  await diffSession(branch);
  await findPatterns(branch, await readHistory(branch));
  await writeFile(join(branch.gitDir, "index.lock"), "");
  t.match(await rejection(applyFix(branch, edit("2", "zwei"))), { code: "COMMIT_FAILED" });
  await rm(join(branch.gitDir, "index.lock"));
  await saveUncommittedWork(source as Parameters<typeof saveUncommittedWork>[0], {
    ...branch,
    sessionId: "s",
  });
  await commitUncommitted(branch, ["nested/", "sub/b.txt"]);
  const noRegister = { willCreate: () => Promise.resolve(), created: () => Promise.resolve() };
  const checkout = await openCheckout(branch, noRegister);
  await writeFiles(checkout.files.root, { "a.txt": "what a fixer wrote\n" });
  t.match(await changesIn(checkout), { changes: [{ path: "a.txt" }], committed: false });
  t.equal(await textOf(trace), undefined, "nothing ran");
  await checkOut(branch, source.base!);
  t.equal(await textOf(trace), undefined, "nothing ran");
  await end();
  t.equal(await textOf(trace), undefined, "nothing ran at the end");
});

t.test("links that a plugin makes in its folder lead no fix and no revert out of it", async (t) => {
  const { source, branch, end, home } = await session(t);
  const { worktree } = source;
  const edits = [{ path: "sub/new.txt", content: "new\n" }];
  const fix = await applyFix(branch, { tests: [], title: "add", edits });
  const outside = join(home, "outside");
  await mkdir(outside);
  await writeFiles(outside, { "b.txt": "b\n", "new.txt": "new\n" });
  await rm(join(worktree, "sub"), { recursive: true });
  await symlink(outside, join(worktree, "sub"));
  const before = await photograph(outside);
  const error = await rejection(
    applyFix(branch, { tests: [], title: "x", edits: [{ path: "sub/b.txt", content: "c\n" }] }),
  );
  t.match(error, { code: "EDIT_FAILED", message: /sub is a symbolic link to/ });
  t.match(await rejection(revertFix(branch, fix.commit)), { code: "EDIT_FAILED" });
  await removeSource({ ...source, branch: "none" });
  t.strictSame(await changesSince(before, outside), []);
  await end();
});
