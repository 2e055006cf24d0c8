/** Repositories that PTH made for plugins without git: they hold the session branch, and outlive the session with it. */
import { basename, dirname, join } from "node:path";
import { removeIfExists } from "../platform/files.ts";
import { stateDir } from "../platform/host.ts";

export const ownRepositories = (): string => join(stateDir(), "repositories");

/** Git folder of a session's own repository. */
export const ownRepository = (sessionId: string): string =>
  join(ownRepositories(), `pth-worktree-${sessionId}.git`);

const isOwn = (repository: string): boolean =>
  dirname(repository) === ownRepositories() && /^pth-worktree-.+\.git$/.test(basename(repository));

/** Removes a repository once its branch is gone, if PTH made it; the user's own are left alone. */
export async function removeOwnRepository(repository: string): Promise<void> {
  if (isOwn(repository)) await removeIfExists(repository);
}
