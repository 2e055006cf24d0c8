/** The session branch; a scratch folder gets one now, at its first commit. */
import { makeRepository } from "../../git/make_repository.ts";
import { branchOf, type SessionBranch } from "../../git/session_branch.ts";
import type { SessionResources } from "../session_resources.ts";

export async function ensureBranch(live: SessionResources): Promise<SessionBranch> {
  const known = branchOf(live.source!);
  if (known) return known;
  live.source = await makeRepository(live.source!, live.register);
  live.note(`The session has a branch from now on: ${live.source.branch} in ${live.source.repository}.`);
  return branchOf(live.source)!;
}
