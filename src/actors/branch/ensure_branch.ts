/** The session branch; a scratch folder gets one now, at its first commit. */
import { makeRepository } from "../../git/make_repository.ts";
import { branchOf, type SessionBranch } from "../../git/session_branch.ts";
import type { SessionResources } from "../session_resources.ts";

export async function ensureBranch(live: SessionResources): Promise<SessionBranch> {
  const known = branchOf(live.code.source!);
  if (known) return known;
  live.code.source = await makeRepository(live.code.source!, live.register);
  live.progress.note(
    `The session has a branch from now on: ${live.code.source.branch} in ${live.code.source.repository}.`,
  );
  return branchOf(live.code.source)!;
}
