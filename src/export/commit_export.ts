/** Commits what PTH hands over (tests, CI, docs, report) on the session branch, each in a commit of its own. */
import { posix } from "node:path";
import type { SessionSource } from "../../machines/model/session.ts";
import { commitFiles } from "../git/commit_files.ts";
import { writeCommitMessage } from "../git/commit_message.ts";
import { branchOf, branchOutput } from "../git/session_branch.ts";
import { nulSeparated } from "../git/git.ts";

interface ExportCommit {
  type: "tests" | "docs" | "report";
  title: string;
}

/**
 * @param paths relative to the top of the repository
 * @returns the commit; undefined without a branch, or when nothing differs
 * @throws {PthError} `GIT_FAILED`
 */
export async function commitExport(
  source: SessionSource,
  paths: readonly string[],
  { type, title }: ExportCommit,
): Promise<string | undefined> {
  const branch = branchOf(source);
  if (branch === undefined || paths.length === 0) return undefined;
  const changed = await branchOutput(branch, ["ls-files", "--modified", "--others", "-z", "--", ...paths]);
  const files = [...new Set(nulSeparated(changed))].map((path) => posix.relative(source.subfolder, path));
  if (files.length === 0) return undefined;
  // Asked for by name: a pattern that ignores .pth must not keep it out.
  return await commitFiles(branch, files, writeCommitMessage({ type, title, files }), { force: true });
}
