/** One commit of the session branch with its change: `git show <commit>`. */
import type { FixRecord } from "../../machines/model/fix.ts";
import { PthError } from "../core/errors.ts";
import { readHistory } from "./history.ts";
import { branchOutput, type SessionBranch } from "./session_branch.ts";

const format = ["--no-color", "--no-ext-diff", "--no-textconv", "--find-renames", "--format="];

/**
 * @param name the commit's id or its beginning; absent: the newest fix
 * @throws {PthError} `NO_SUCH_COMMIT`, `GIT_FAILED`
 */
export async function showCommit(
  branch: SessionBranch,
  name: string | undefined,
): Promise<{ fix: FixRecord; diff: string }> {
  const history = await readHistory(branch);
  const fix = name === undefined
    ? history.find(({ type }) => type === "fix") ?? history[0]
    : history.find(({ commit }) => name.length >= 4 && commit.startsWith(name.toLowerCase()));
  if (!fix) throw noSuchCommit(branch, name, history);
  const relative = branch.subfolder === "" ? [] : [`--relative=${branch.subfolder}/`];
  const prefixes = ["--src-prefix=a/", "--dst-prefix=b/"];
  const diff = await branchOutput(branch, ["show", ...format, ...prefixes, ...relative, fix.commit]);
  return { fix, diff };
}

function noSuchCommit(
  { branch }: SessionBranch,
  name: string | undefined,
  history: readonly FixRecord[],
): PthError {
  const state = history.length === 0 ? `${branch} holds no commit yet` : `${branch} holds no such commit`;
  const known = history.slice(0, 10).map(({ commit, title }) => `${commit.slice(0, 10)} ${title}`);
  return new PthError("NO_SUCH_COMMIT", `Cannot show ${name ?? "the latest fix"}: ${state}`, {
    next: known.length === 0
      ? [{ mcp: "Apply a fix first: pth_apply_fix" }]
      : [`Choose one of: ${known.join("; ")}`],
  });
}
