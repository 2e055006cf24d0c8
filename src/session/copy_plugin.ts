/** Scratch folders: copies of plugins without git, and empty folders for packages and plain commands. */
import { dirname, join, relative } from "node:path";
import { pathExists, readTextIfExists } from "../platform/files.ts";
import { makeOwnFolder } from "../platform/own_folder.ts";
import { type CopyOptions, copyTree } from "../platform/copy_tree.ts";
import { lockFile } from "../registry/lock.ts";

/** Never worth copying. */
const always = new Set([
  ".git",
  "__pycache__",
  ".mypy_cache",
  ".pytest_cache",
  ".ruff_cache",
  ".tox",
  ".DS_Store",
]);

/** Caches, each with a test that they can be made again. */
const rebuildable: Record<string, (folder: string, cache: string) => Promise<boolean>> = {
  "node_modules": (folder) => pathExists(join(folder, "package.json")),
  ".venv": (_, cache) => pathExists(join(cache, "pyvenv.cfg")),
  "venv": (_, cache) => pathExists(join(cache, "pyvenv.cfg")),
  "target": (folder) => pathExists(join(folder, "Cargo.toml")),
  "dist": hasBuildScript,
};

/** Copies a plugin's folder without what is made again inside the environment. */
export async function copyPlugin(from: string, to: string, options: CopyOptions = {}): Promise<number> {
  const own = relative(from, to);
  return await copyTree(from, to, {
    ...options,
    skip: async (path, kind) => path === own || await isExcludedFromCopy(from, path, kind),
  });
}

/** Whether what lies at a path below the folder is a cache, or PTH's own. */
export async function isExcludedFromCopy(
  top: string,
  path: string,
  kind: "folder" | "file",
): Promise<boolean> {
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (always.has(name) || path.startsWith(lockFile)) return true;
  const cache = join(top, path);
  return kind === "folder" && await rebuildable[name]?.(dirname(cache), cache) === true;
}

async function hasBuildScript(folder: string): Promise<boolean> {
  return /"build"\s*:/.test(await readTextIfExists(join(folder, "package.json")) ?? "");
}

/** A private package.json, in which `npm install` puts the package under test. */
export const packageJsonFor = (name: string, version = "latest"): string =>
  JSON.stringify({ name: "pth-scratch", private: true, dependencies: { [name]: version } }, undefined, 2) +
  "\n";

/** @throws {PthError} `INVALID_CONFIG` */
export const makeEmpty = (path: string): Promise<void> => makeOwnFolder(path);
