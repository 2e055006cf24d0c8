/** Copies a dependency plugin to a scratch folder: its author's folder is read once, and never written. */
import { join } from "node:path";
import type { SessionSource } from "../../machines/model/session.ts";
import type { NamedDependency } from "../plugin/dependency_names.ts";
import { readIdentity } from "../plugin/package_json.ts";
import { hostFolder } from "../plugin/readable_folder.ts";
import { pathExists, writeTextFile } from "../platform/files.ts";
import { worktreeDir } from "../platform/host.ts";
import type { SessionRegister } from "../registry/register.ts";
import { removeTree } from "../platform/remove_tree.ts";
import { copyPlugin, makeEmpty, packageJsonFor } from "./copy_plugin.ts";
import { parseTarget } from "./parse_target.ts";

export interface DependencyOptions {
  sessionId: string;
  register: SessionRegister;
  signal?: AbortSignal;
}

/**
 * A copy of the working tree as it is now, in place of one that was made before.
 * @throws {PthError} `TARGET_NOT_FOUND`, `INVALID_INPUT`
 */
export async function prepareDependency(
  { name, source }: NamedDependency,
  { sessionId, register, signal }: DependencyOptions,
): Promise<SessionSource> {
  const parsed = await parseTarget({ target: source });
  const worktree = join(worktreeDir(), `pth-worktree-${sessionId}-${name}`);
  await register.willCreate({ kind: "scratch", name: worktree });
  await removeTree(worktree);
  await makeEmpty(worktree);
  if (parsed.kind === "npm") {
    await writeTextFile(join(worktree, "package.json"), packageJsonFor(parsed.package, parsed.version));
  } else if (parsed.kind === "folder") {
    await copyPlugin(parsed.path, worktree, signal === undefined ? {} : { signal });
  }
  await register.created({ kind: "scratch", name: worktree });
  const identity = parsed.kind === "npm"
    ? { name: parsed.package }
    : await readIdentity(hostFolder(worktree));
  return { sessionId, ...identity, source, worktree, subfolder: "", notes: [] };
}

/** @returns what could not be removed */
export async function removeDependency(worktree: string, register: SessionRegister): Promise<string[]> {
  const left = await removeTree(worktree);
  if (!await pathExists(worktree)) await register.removed({ kind: "scratch", name: worktree });
  return left;
}
