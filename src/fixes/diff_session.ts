import type { DiffOptions, FileChange, SessionDiff } from "../../machines/model/fix.ts";
import { PthError } from "../core/errors.ts";
import {
  branchOutput,
  countCommits,
  inPlugin,
  inWorktree,
  logTypes,
  type SessionBranch,
  stateFile,
} from "../git/session_branch.ts";
import { checkPath, RefusedEdit } from "./edited_files.ts";

const plain = ["--no-color", "--no-ext-diff", "--no-textconv", "--find-renames", "--ignore-submodules=all"];

/** @throws {PthError} `INVALID_INPUT` for a path outside the plugin's folder, `GIT_FAILED` */
export async function diffSession(
  branch: SessionBranch,
  { path, stat = false }: DiffOptions = {},
): Promise<SessionDiff> {
  const head = (await branchOutput(branch, ["rev-parse", `refs/heads/${branch.branch}`])).trim();
  const range = `${branch.base}..${head}`;
  const from = path === undefined ? [] : [inWorktree(branch, tidy(path))];
  const numbers = await branchOutput(branch, ["diff", "--numstat", "-z", ...plain, range, "--", ...from]);
  // PTH's own bookkeeping is no change of the plugin.
  const own = inWorktree(branch, stateFile);
  const all = readNumbers(numbers).filter((file) => file.path !== own);
  const files = all.map((file): FileChange => ({
    ...file,
    path: inPlugin(branch, file.path),
    ...(file.from === undefined ? {} : { from: inPlugin(branch, file.from) }),
  }));
  const { commits } = countCommits(await branchOutput(branch, [...logTypes, range]));
  const figures = { base: branch.base, head, commits, files, ...totals(files) };
  if (stat || all.length === 0) return stat ? figures : { ...figures, diff: "" };
  const named = [...new Set(all.flatMap((file) => [file.path, ...(file.from ? [file.from] : [])]))];
  // Names that do not fit a command line are not worth naming: only the checkpoint is then shown, too.
  const paths = named.length <= 2000 ? named : from;
  const prefixes = ["--src-prefix=a/", "--dst-prefix=b/"];
  const relative = branch.subfolder === "" ? [] : [`--relative=${branch.subfolder}/`];
  const diff = await branchOutput(branch, [
    "diff",
    ...plain,
    ...prefixes,
    ...relative,
    range,
    "--",
    ...paths,
  ]);
  return { ...figures, diff };
}

function tidy(path: string): string {
  try {
    return path === "." ? "" : checkPath(path.replace(/\/+$/, ""));
  } catch (error) {
    if (!(error instanceof RefusedEdit)) throw error;
    throw new PthError("INVALID_INPUT", `Cannot show the changes of ${path}: ${error.message}`, {
      next: ["Name a file or folder relative to the plugin's, or none for all"],
    });
  }
}

const totals = (files: FileChange[]) => ({
  added: files.reduce((sum, file) => sum + (file.added ?? 0), 0),
  removed: files.reduce((sum, file) => sum + (file.removed ?? 0), 0),
});

/** `added TAB removed TAB path`, or with a rename an empty path, and both names after it. */
function readNumbers(output: string): FileChange[] {
  const parts = output.split("\0");
  const files: FileChange[] = [];
  for (let at = 0; at < parts.length; at++) {
    const found = /^(\d+|-)\t(\d+|-)\t([^]*)$/.exec(parts[at]!);
    if (!found) continue;
    const [, added, removed, name] = found;
    const lines = added === "-" ? {} : { added: Number(added), removed: Number(removed) };
    if (name !== "") files.push({ path: name!, ...lines });
    else files.push({ from: parts[++at]!, path: parts[++at]!, ...lines });
  }
  return files;
}
