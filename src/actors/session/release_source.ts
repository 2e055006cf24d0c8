/** Slot `session.release`: takes away what the session made on the host. */
import type { EnvironmentHandle } from "../../../machines/model/environment.ts";
import type { EnvironmentInfo, SessionSource } from "../../../machines/model/session.ts";
import type { SessionEnd } from "../../../machines/session_machine.ts";
import { errorMessage } from "../../core/errors.ts";
import { diffSession } from "../../fixes/diff_session.ts";
import { branchOf } from "../../git/session_branch.ts";
import { removeSource } from "../../session/remove_source.ts";
import type { SessionResources } from "../session_resources.ts";
import { closingActor, type GetSession } from "../promise_actor.ts";
import { removeEnvironment } from "../environment/remove_environment.ts";
import { removeDependency } from "../../session/prepare_source.ts";

interface ReleaseInput {
  sessionId: string;
  source: SessionSource | undefined;
  environment: EnvironmentInfo | undefined;
  keep: boolean;
}

export const releaseSource = (stage: GetSession) =>
  closingActor<SessionEnd, ReleaseInput>(stage, async (live, { environment, keep }) => {
    const settled = await live.tasks.settled();
    if (!settled) {
      live.progress.note("Work that was asked to stop still goes on. pth clean removes what it may leave.");
    }
    await live.environment.warm.drop();
    if (live.code.source === undefined) {
      await live.register.close();
      return { branch: undefined, branchKept: false, commits: 0, leftBehind: [], kept: [] };
    }
    // In an environment that is kept, nothing of PTH goes on.
    if (keep) await live.coverage.run?.close();
    const changed = await changesOf(live, live.code.source);
    if (keep) return { ...await leave(live, live.code.source, environment), ...changed };
    const { branchKept, commits, leftBehind } = await removeSource(live.code.source, {
      register: live.register,
    });
    for (const folder of copiesOf(live)) leftBehind.push(...await removeDependency(folder, live.register));
    // One that was destroyed would not be here any more.
    if (live.environment.current) leftBehind.push(nameOf(live.environment.current.info.handle));
    leftBehind.push(...await destroyAbandoned(live));
    // What could not be removed stays in the register: `pth clean` tries again.
    if (leftBehind.length === 0) await live.register.close();
    const { changes, repository } = changed;
    return {
      branch: live.code.source.branch,
      branchKept,
      commits,
      leftBehind,
      kept: [],
      ...(changes && commits > 0 ? { changes } : {}),
      ...(repository && branchKept ? { repository } : {}),
    };
  });

/** Destroys environments that could not be destroyed when they were replaced. Resolves to those that still cannot be. */
async function destroyAbandoned(
  { environment: { abandoned }, register }: SessionResources,
): Promise<string[]> {
  const stuck: string[] = [];
  for (const environment of abandoned) {
    const { handle } = environment.info;
    try {
      await removeEnvironment(environment);
      await register.removed({ kind: "environment", name: handle.environmentId });
    } catch (error) {
      stuck.push(`${nameOf(handle)}: ${errorMessage(error)}`);
    }
  }
  return stuck;
}

/**
 * Changes on the branch, for the closing answer. A repository that no longer exists must not keep the session from
 * ending.
 */
async function changesOf(
  live: SessionResources,
  source: SessionSource,
): Promise<Pick<SessionEnd, "changes" | "repository"> & { commits?: number }> {
  const branch = branchOf(source);
  if (!branch || source.repository === undefined) return {};
  try {
    const { files, added, removed, commits } = await diffSession(branch, { stat: true });
    const changes = { files: files.length, added, removed };
    return { commits, changes, repository: source.repository };
  } catch (error) {
    live.progress.note(`The changes of ${branch.branch} cannot be counted: ${errorMessage(error)}`);
    return {};
  }
}

/** Host folders of the dependency plugins. */
const copiesOf = ({ plugin: { dependencies } }: SessionResources): string[] =>
  [...dependencies.values()].flatMap(({ source }) => source === undefined ? [] : [source.worktree]);

const nameOf = ({ environmentId, runtime }: EnvironmentHandle): string =>
  `${runtime} environment ${environmentId}`;

/** `--keep`: everything stays that can outlive this process, and the register says that it was on purpose. */
async function leave(
  live: SessionResources,
  source: SessionSource,
  environment: EnvironmentInfo | undefined,
): Promise<SessionEnd> {
  const stays = live.environment.current?.runtime.abilities.outlivesOwner === true;
  if (live.environment.current && !stays) {
    await live.environment.current.runtime.destroy(live.environment.current.info.handle);
  }
  await live.register.close({ kept: true });
  const kept = [source.worktree];
  // On the bare host they run where they were copied to; others have them inside.
  const inPlace = live.environment.current?.runtime.abilities.isolated === false;
  for (const folder of copiesOf(live)) {
    if (inPlace) kept.push(folder);
    else await removeDependency(folder, live.register);
  }
  if (environment && stays) kept.push(nameOf(environment.handle));
  if (source.branch) kept.push(`branch ${source.branch}`);
  return { branch: source.branch, branchKept: true, commits: 0, leftBehind: [], kept };
}
