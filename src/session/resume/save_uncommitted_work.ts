/** Saves what a dead session's folder holds and no commit does: a half-made fix, tests written by hand. */
import { join, posix, resolve } from "node:path";
import { errorMessage, PthError } from "../../core/errors.ts";
import { defaultExcludes } from "../../git/make_repository.ts";
import { type ExportFile, writeInside } from "../../platform/write_inside.ts";
import { openConfined } from "../../platform/confined/open_confined.ts";
import { mkdir, removeIfExists } from "../../platform/files.ts";
import { openOwnFolder } from "../../platform/own_folder.ts";
import { stateDir } from "../../platform/host.ts";
import { defaultTestFolder } from "../../testing/format/test_folders.ts";
import { gitOutput, nulSeparated } from "../../git/git.ts";
import { stateFile } from "../../git/session_branch.ts";

export interface Salvaged {
  /** Differs from the branch; relative to the top. */
  files: string[];
  /** Tests of the plugin among them, which the resumed session takes over. */
  tests: string[];
  /** A patch with all of them; absent when there is nothing. */
  patch?: string;
}

export const salvageFolder = (): string => join(stateDir(), "salvaged");

/** Caches that are not worth saving, even if no `.gitignore` names them. */
const caches = defaultExcludes.map((pattern) =>
  `:(exclude,glob)**/${pattern}${pattern.endsWith("/") ? "**" : ""}`
);

/** PTH's own files that a kill left half-way. */
const passing = (path: string): boolean =>
  /(^|\/)\.(pth-)?[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.tmp$/.test(path) ||
  path === stateFile || path.endsWith(`/${stateFile}`);

/** @throws {PthError} `GIT_FAILED`; the folder is then as before */
export async function saveUncommittedWork(
  { worktree, gitDir }: { worktree: string; gitDir: string },
  { branch, subfolder, sessionId }: { branch: string; subfolder: string; sessionId: string },
): Promise<Salvaged> {
  await openOwnFolder(stateDir(), "salvaged");
  const name = `${branch.replaceAll(/[^\w.-]+/g, "-")}-${sessionId}`;
  // The worktree's own index may be locked, or half written; what the folder holds may be a secret, which no repository gets.
  const indexFile = join(salvageFolder(), `${name}.index`);
  const apart = join(salvageFolder(), `${name}.objects`);
  await mkdir(apart, { recursive: true, mode: 0o700 });
  const within = { gitDir, workTree: worktree };
  try {
    const others = (await gitOutput(worktree, ["rev-parse", "--git-path", "objects"], within)).replace(
      /\n$/,
      "",
    );
    const options = { ...within, indexFile, objects: { folder: apart, others: resolve(worktree, others) } };
    const run = (...args: string[]) => gitOutput(worktree, args, options);
    await run("read-tree", `refs/heads/${branch}`);
    await run("add", "--all", "--", ".", ...caches);
    const differs = ["diff", "--cached", "--no-renames", "--ignore-submodules=all", `refs/heads/${branch}`];
    const files = nulSeparated(await run(...differs, "--name-only", "-z")).filter((path) => !passing(path));
    if (files.length === 0) return { files, tests: [] };
    const patch = join(salvageFolder(), `${name}.patch`);
    await run(
      "--literal-pathspecs",
      ...differs,
      "--binary",
      "--no-ext-diff",
      `--output=${patch}`,
      "--",
      ...files,
    );
    return { files, tests: await testsAmong(files, worktree, subfolder), patch };
  } finally {
    await removeIfExists(indexFile);
    await removeIfExists(apart);
  }
}

/** A link may lead anywhere; it is no test. */
async function testsAmong(files: string[], worktree: string, subfolder: string): Promise<string[]> {
  const home = posix.join(subfolder, defaultTestFolder, "/");
  const tests: string[] = [];
  for (const path of files) {
    if (path.startsWith(home) && await isFile(worktree, path)) tests.push(path);
  }
  return tests;
}

async function isFile(worktree: string, path: string): Promise<boolean> {
  try {
    return (await openConfined(worktree).stat(path))?.kind === "file";
  } catch (error) {
    // Over a link there is no file of the plugin's.
    if (error instanceof PthError && error.code === "PATH_REFUSED") return false;
    throw error;
  }
}

/** Brings the tests into the resumed session's folder; says what became of everything. */
export async function carryOver(
  { files, tests, patch }: Salvaged,
  from: string,
  to: string,
): Promise<string[]> {
  if (patch === undefined) return [];
  const notes: string[] = [];
  const others = files.filter((path) => !tests.includes(path));
  try {
    const carried: ExportFile[] = [];
    const files = openConfined(from);
    for (const path of tests) carried.push({ path, text: await files.readText(path) ?? "" });
    await writeInside(to, carried);
    if (tests.length > 0) notes.push(`Tests that were in no commit are carried over: ${shortList(tests)}.`);
  } catch (error) {
    notes.push(`Tests that were in no commit cannot be carried over: ${errorMessage(error)}`);
    others.push(...tests);
  }
  if (others.length === 0) await removeIfExists(patch);
  else notes.push(`In no commit, and not taken over: ${shortList(others)}. It is kept as ${patch}`);
  return notes;
}

const shortList = (paths: string[]): string =>
  paths.length <= 5 ? paths.join(", ") : `${paths.slice(0, 5).join(", ")} and ${paths.length - 5} more`;
