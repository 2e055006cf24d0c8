/** Sessions on real repositories, and what of a checkout must never change. */
import { createHash } from "node:crypto";
import { readdir, readFile, readlink } from "node:fs/promises";
import { join } from "node:path";
import type { FixRequest } from "../../../machines/model/fix.ts";
import { branchOf, type SessionBranch } from "../../../src/git/session_branch.ts";
import { makeRepository, prepare, temporaryWorld } from "../session/helpers.ts";

export { rejection, textOf, userGit, writeFiles } from "../session/helpers.ts";

export const files: Record<string, string> = {
  "package.json": '{"name":"demo","version":"1.0.0"}\n',
  ".gitignore": "dist/\nnode_modules/\n",
  "src/a.ts": "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n",
  "src/windows.txt": "one\r\ntwo\r\nthree\r\n",
};

interface Test {
  teardown(clean: () => unknown): void;
}

/** A repository, and a session on it. `within` is the plugin's folder in the repository. */
export async function session(
  t: Test,
  { within = "", more = {} }: { within?: string; more?: Record<string, string> } = {},
) {
  const world = await temporaryWorld(t);
  const placed = Object.entries({ ...files, ...more }).map(([path, text]) => [join(within, path), text]);
  await makeRepository(world.folder, Object.fromEntries(placed));
  const { register, ...source } = await prepare(join(world.folder, within), { mode: "session" });
  const branch: SessionBranch = branchOf(source)!;
  return { ...world, source, branch, register, plugin: join(source.worktree, within) };
}

export const request = (edits: FixRequest["edits"], more: Partial<FixRequest> = {}): FixRequest => ({
  tests: ["a test"],
  title: "mend it",
  edits,
  ...more,
});

/** Every file below a folder with its bytes, as one hash; `skip` names what may differ. */
export async function fingerprint(folder: string, skip: (path: string) => boolean): Promise<string> {
  const hash = createHash("sha256");
  for (const entry of (await readdir(folder, { recursive: true, withFileTypes: true })).sort(byPath)) {
    const path = join(entry.parentPath, entry.name).slice(folder.length + 1);
    if (skip(path) || entry.isDirectory()) continue;
    const full = join(folder, path);
    hash.update(`${path}\0`).update(entry.isSymbolicLink() ? await readlink(full) : await readFile(full));
  }
  return hash.digest("hex");
}

const byPath = (a: { parentPath: string; name: string }, b: { parentPath: string; name: string }) =>
  join(a.parentPath, a.name) < join(b.parentPath, b.name) ? -1 : 1;
