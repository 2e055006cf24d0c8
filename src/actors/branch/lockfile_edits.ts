/** A fix of a manifest's dependencies takes its lockfile along, so that the branch is one that `npm ci` installs. */
import { Buffer } from "node:buffer";
import { posix } from "node:path";
import type { Edit } from "../../../machines/model/fix.ts";
import { errorMessage } from "../../core/errors.ts";
import type { FileEdit } from "../../fixes/edited_files.ts";
import type { FileState } from "../../git/file_state.ts";
import { branchOutput, inWorktree, type SessionBranch } from "../../git/session_branch.ts";
import { accessTo } from "../../plugin/environment_access.ts";
import { refreshLockfile } from "../../plugin/refresh_lockfile.ts";
import { isObject } from "../../core/values.ts";
import type { SessionResources } from "../session_resources.ts";

const lockfiles = ["npm-shrinkwrap.json", "package-lock.json"];

/** Edits of the lockfiles that the branch holds, for each manifest whose dependencies the changes alter. */
export async function lockfileEdits(
  live: SessionResources,
  branch: SessionBranch,
  changes: readonly FileEdit[],
): Promise<Edit[]> {
  const edits: Edit[] = [];
  for (const { path, before, after } of changes) {
    const wanted = posix.basename(path) === "package.json" ? dependenciesIn(after) : undefined;
    if (wanted === undefined || wanted === dependenciesIn(before)) continue;
    const lockfile = await lockfileOf(branch, path);
    // Whoever edits the lockfile, too, knows better.
    if (lockfile === undefined || changes.some((change) => change.path === lockfile)) continue;
    const content = await refresh(live, branch, lockfile, textOf(after) ?? "");
    if (content !== undefined) edits.push({ path: lockfile, content });
  }
  return edits;
}

/** A fix goes without it where npm cannot tell: the reload shows what is wrong with the manifest itself. */
async function refresh(
  live: SessionResources,
  branch: SessionBranch,
  lockfile: string,
  manifest: string,
): Promise<string | undefined> {
  if (!live.environment.current) {
    live.progress.note(`${lockfile} is left as it is: without an environment npm cannot bring it in line.`);
    return undefined;
  }
  const { runtime, info: { handle } } = live.environment.current;
  const folder = posix.join(handle.sourcePath, posix.dirname(inWorktree(branch, lockfile)));
  const variables = { ...live.plugin.variables, ...Object.fromEntries(live.secrets.values) };
  try {
    const env = accessTo(runtime, handle);
    return await refreshLockfile(env, folder, posix.basename(lockfile), manifest, { variables });
  } catch (error) {
    live.progress.note(`${lockfile} is left as it is: ${errorMessage(error)}`);
    return undefined;
  }
}

/** Finds the tracked lockfile in the manifest's folder; npm prefers the shrinkwrap. */
async function lockfileOf(branch: SessionBranch, manifest: string): Promise<string | undefined> {
  const paths = lockfiles.map((name) => posix.join(posix.dirname(manifest), name));
  const listed = ["ls-files", "-z", "--", ...paths.map((path) => inWorktree(branch, path))];
  const known = (await branchOutput(branch, listed)).split("\0");
  return paths.find((path) => known.includes(inWorktree(branch, path)));
}

const textOf = (state: FileState): string | undefined =>
  state.kind === "file" ? Buffer.from(state.bytes).toString() : undefined;

/** Dependencies that npm installs from a manifest, as text for comparison; undefined if the file is no manifest. */
function dependenciesIn(state: FileState): string | undefined {
  const manifest = parse(textOf(state) ?? "");
  if (!isObject(manifest)) return undefined;
  const { dependencies, devDependencies, optionalDependencies, peerDependencies, overrides } = manifest;
  return JSON.stringify([dependencies, devDependencies, optionalDependencies, peerDependencies, overrides]);
}

/** A manifest that does not parse has no dependencies: the reload tells what is wrong with it. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
