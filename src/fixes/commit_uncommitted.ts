/** The author's uncommitted work, as the first commit of a session that was asked to take it along. */
import { Buffer } from "node:buffer";
import { PthError } from "../core/errors.ts";
import { nulSeparated } from "../git/git.ts";
import { makeRedactor } from "../core/redact.ts";
import { writeCommitMessage } from "../git/commit_message.ts";
import { maxFileBytes, readFileState } from "../git/file_state.ts";
import { branchOutput, type SessionBranch, worktreeFiles } from "../git/session_branch.ts";
import { commitIdentity } from "../git/commit_files.ts";

/** Limit on named files; the commit has all. */
const mostNamed = 200;

/**
 * Commits files that were brought into a worktree that is otherwise at HEAD, without hooks and signing.
 * @param paths as git names them, also of files that are deleted
 * @param secrets values that must not get into git
 * @returns the commit, or undefined when nothing differs
 * @throws {PthError} `INVALID_INPUT` for a file with a secret, `GIT_FAILED`
 */
export async function commitUncommitted(
  branch: SessionBranch,
  paths: readonly string[],
  secrets: readonly string[] = [],
): Promise<string | undefined> {
  const known = new Set(nulSeparated(await branchOutput(branch, ["ls-files", "-z"])));
  const files = worktreeFiles(branch);
  const there: string[] = [];
  for (const path of paths) {
    if (known.has(path) || await files.stat(path) !== undefined) there.push(path);
  }
  await checkSecrets(branch, there, secrets);
  // Git reads the names from its input: there may be more than a command line holds.
  const named = ["--pathspec-from-file=-", "--pathspec-file-nul"];
  if (there.length > 0) {
    await branchOutput(branch, ["add", "--all", "--force", ...named], { stdin: there.join("\0") });
  }
  const staged = ["diff", "--cached", "--name-only", "--no-renames", "--ignore-submodules=all", "-z", "HEAD"];
  const changed = nulSeparated(await branchOutput(branch, staged));
  if (changed.length === 0) return undefined;
  const message = writeCommitMessage({
    type: "uncommitted",
    title: "take over uncommitted changes of the checkout",
    files: changed.length > mostNamed ? [] : changed,
  });
  const commit = ["commit", "--quiet", "--no-verify", "--no-gpg-sign", "--no-status", "--cleanup=verbatim"];
  await branchOutput(branch, [...await commitIdentity(branch), ...commit, "--file=-"], { stdin: message });
  return (await branchOutput(branch, ["rev-parse", "HEAD"])).trim();
}

/** Refuses uncommitted files that contain a secret: git history cannot be redacted. */
async function checkSecrets(
  branch: SessionBranch,
  paths: string[],
  secrets: readonly string[],
): Promise<void> {
  if (secrets.length === 0) return;
  const files = worktreeFiles(branch);
  const { text: redact } = makeRedactor(secrets);
  for (const path of paths) {
    if (((await files.stat(path))?.size ?? 0) > maxFileBytes) continue;
    const state = await readFileState(files, path);
    const text = state.kind === "file" ? Buffer.from(state.bytes).toString() : "";
    if (redact(text) === text) continue;
    throw new PthError(
      "INVALID_INPUT",
      `Cannot commit uncommitted changes: ${path} contains the value of a secret`,
      {
        next: ["Start without them: uncommitted: false", "Or take the value out of the file first"],
      },
    );
  }
}
