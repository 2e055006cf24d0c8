/** A session whose worktree holds links, binary, ignored and foreign files; and what of it must not be lost. */
import { execFileSync } from "node:child_process";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { Buffer } from "node:buffer";
import { join } from "node:path";
import type { Test } from "tap";
import type { Edit } from "../../../machines/model/fix.ts";
import { applyFix } from "../../../src/fixes/apply_fix.ts";
import { branchOf, type SessionBranch } from "../../../src/git/session_branch.ts";
import { removeSource } from "../../../src/session/remove_source.ts";
import { makeRepository, prepare, temporaryWorld, userGit, writeFiles } from "../../src/session/helpers.ts";
import { changesSince, photograph } from "../../support/checkout_photo.ts";

export const files = {
  "package.json": '{"name":"demo","version":"1.0.0"}\n',
  ".gitignore": "dist/\n*.log\n",
  "a.txt": "one\ntwo\nthree\nfour\nfive\nsix\nseven\n",
  "windows.txt": "one\r\ntwo\r\n",
  "open end.txt": "one\ntwo",
  "sub/b.txt": "b\n",
};

/** What a session must not lose: its commits, what is staged, and every file of the worktree. */
export async function standing(branch: SessionBranch) {
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
export const withoutTimes = ({ files, ...rest }: Awaited<ReturnType<typeof standing>>) => ({
  ...rest,
  files: files.map(([path, line]) => [path, line.replace(/ \d{15,} /, " ")]),
});

/** A session with links, binary, ignored and foreign files in its worktree; the author's checkout is looked at at its end. */
export async function session(t: Test) {
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

/** A request for a fix. */
export const fix = (edits: Edit[], more: Partial<Parameters<typeof applyFix>[1]> = {}) => ({
  tests: ["a test"],
  title: "mend it",
  edits,
  ...more,
});
