import { commitFiles } from "../../git/commit_files.ts";
import { writeCommitMessage } from "../../git/commit_message.ts";
import {
  branchOf,
  checkpointType,
  pluginFolder,
  type SessionBranch,
  stateFile,
} from "../../git/session_branch.ts";
import { writeInside } from "../../platform/write_inside.ts";
import { readInside } from "../../contract/source_path_inside.ts";
import { persistableRequest } from "../../session/persistable_request.ts";
import { sameButTime, serializeState } from "../../session/session_state.ts";
import { definedOnly } from "../../core/values.ts";
import type { SessionResources } from "../session_resources.ts";
import type { SessionState } from "../../../machines/model/session_state.ts";
import type { CheckpointArgs } from "../../../machines/model/branch_work.ts";

/**
 * Commits the session's state to its branch; does nothing without a branch, or if only the time differs from the saved
 * state.
 * @throws {PthError} `GIT_FAILED`, `INVALID_INPUT`
 */
export async function checkpoint(live: SessionResources, args: CheckpointArgs): Promise<{ commit?: string }> {
  const branch = branchOf(live.code.source!);
  if (branch === undefined) return {};
  const text = serializeState(stateOf(live, branch, args));
  const folder = pluginFolder(branch);
  const saved = await readInside(folder, stateFile);
  if (saved === undefined || !sameButTime(saved, text)) {
    await writeInside(folder, [{ path: stateFile, text }]);
  }
  const { iteration } = args.progress;
  const message = writeCommitMessage({
    type: checkpointType,
    title: iteration === 0
      ? "save the session's state"
      : `save the session's state after iteration ${iteration}`,
    ...(iteration === 0 ? {} : { iteration }),
  });
  // A crash may have come between writing and committing: whether the branch has it is for git to say.
  const commit = await commitFiles(branch, [stateFile], message, { force: true });
  return commit === undefined ? {} : { commit };
}

function stateOf(
  live: SessionResources,
  branch: SessionBranch,
  { progress, tests, commits, load, matrix, performance, measuredOf }: CheckpointArgs,
): SessionState {
  const { name, version } = live.code.source!;
  const config = live.decided()?.provisioned.config ?? live.code.resumed?.environment;
  // What the plugin's own files tell, the next load reads there.
  const given = [...live.secrets.values.keys()].filter((name) => !live.secrets.declared.has(name));
  const told = live.secrets.redact.value({
    plugin: { name, ...(version === undefined ? {} : { version }) },
    ...persistableRequest({ ...live.target, ...load }, config, [
      ...given,
      ...live.code.resumed?.withheld ?? [],
    ]),
    ...progress,
    tests,
    ...definedOnly({ commits, matrix, performance, measuredOf }),
    timings: definedOnly(live.progress.timings),
  });
  return {
    ...told,
    version: 1,
    sessionId: live.sessionId,
    branch: branch.branch,
    base: branch.base,
    savedAt: new Date().toISOString(),
  };
}
