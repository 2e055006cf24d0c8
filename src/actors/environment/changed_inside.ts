/** Finds the files of an environment's copy of the source that differ from the host's. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { branchGit, branchOf, inPlugin, inWorktree, type SessionBranch } from "../../git/session_branch.ts";
import { lstat, readFile } from "../../platform/files.ts";
import { pathsInside, type RunCommandInside } from "../../plugin/run_command_inside.ts";
import { nulSeparated } from "../../git/git.ts";
import { listSourceFiles } from "../../session/list_source_files.ts";
import type { SessionResources } from "../session_resources.ts";

/** Limit in files: a larger plugin would take too long. */
const mostFiles = 5000;
/** A larger file is hardly source. */
const largestFile = 1024 * 1024;
const timeoutMs = 10_000;

/**
 * Paths relative to the plugin's folder, sorted: files that tests, builds or people changed, removed or added inside, but for
 * those that the repository ignores and what installing brings. Empty where there is no commit to differ from, and while the
 * branch is ahead of what the plugin was loaded with. Rejects where the environment cannot be asked.
 */
export async function changedInside(live: SessionResources): Promise<string[]> {
  const branch = branchOf(live.code.source!);
  const { environment: { current: environment }, plugin: { plan }, code: { line: code } } = live;
  if (branch === undefined || environment === undefined || plan === undefined || code.isBehind) return [];
  const { runtime, info } = environment;
  const run: RunCommandInside = (command, options) => runtime.exec(info.handle, command, options);
  const onHost = join(branch.worktree, branch.subfolder);
  const view = { gitDir: branch.gitDir, workTree: branch.worktree };
  const brought = (await listSourceFiles(onHost, view)).filter((path) => !path.includes("\n"));
  if (brought.length > mostFiles) return [];
  const inside = new Set(await pathsInside(run, plan.folder, { timeoutMs }));
  const hashes = await hashesInside(run, plan.folder, brought.filter((path) => inside.has(path)));
  const known = new Set(brought);
  const added = [...inside].filter((path) =>
    !known.has(path) && !/^(?:\.pth(?:-coverage)?|pth-files)\//.test(path)
  );
  const changed = await Promise.all(brought.map(async (path) => await isAsBrought(onHost, path, hashes)));
  return [...brought.filter((_path, index) => !changed[index]), ...await notIgnored(branch, added)].sort();
}

/** Compares plain files; of others nothing is known. */
async function isAsBrought(
  folder: string,
  path: string,
  hashes: ReadonlyMap<string, string>,
): Promise<boolean> {
  const { isFile, size } = await lstat(join(folder, path));
  if (!isFile || size > largestFile) return true;
  return hashes.get(path) === createHash("sha256").update(await readFile(join(folder, path))).digest("hex");
}

const script = `cd -P -- "$1" && tr '\\n' '\\0' | xargs -0 sha256sum --`;

async function hashesInside(
  run: RunCommandInside,
  folder: string,
  paths: readonly string[],
): Promise<Map<string, string>> {
  const { stdout } = await run(["sh", "-c", script, "sh", folder], {
    cwd: "/",
    stdin: `${paths.join("\n")}\n`,
    signal: AbortSignal.timeout(timeoutMs),
  });
  return new Map(
    stdout.split("\n").flatMap((line) => {
      const [, hash, path] = /^([0-9a-f]{64}) [ *](.+)$/.exec(line) ?? [];
      return path === undefined ? [] : [[path, hash!] as const];
    }),
  );
}

async function notIgnored(branch: SessionBranch, paths: readonly string[]): Promise<string[]> {
  if (paths.length === 0) return [];
  const stdin = paths.map((path) => inWorktree(branch, path)).join("\0");
  const { stdout } = await branchGit(branch, ["check-ignore", "-z", "--stdin"], { stdin, literal: false });
  const ignored = new Set(nulSeparated(stdout).map((path) => inPlugin(branch, path)));
  return paths.filter((path) => !ignored.has(path));
}
