/** Brings a worktree that nobody works in to the state of a commit. */
import { branchOutput, type SessionBranch } from "./session_branch.ts";

/** Caches that an install filled, where the repository does not ignore them: the next install sees whether they fit. */
const caches = ["node_modules", ".venv", "target"];

/**
 * Files of the commit, and none that is in no commit, but those that the repository ignores. The branch stays where it is.
 * @throws {PthError} `GIT_FAILED`
 */
export async function checkOut(
  branch: SessionBranch,
  commit: string,
  signal?: AbortSignal,
): Promise<void> {
  const options = signal === undefined ? {} : { signal };
  await branchOutput(branch, ["checkout", "--quiet", "--force", "--detach", commit], options);
  const kept = caches.flatMap((name) => ["-e", name]);
  await branchOutput(branch, ["clean", "-ffdq", ...kept], { ...options, literal: false });
}
