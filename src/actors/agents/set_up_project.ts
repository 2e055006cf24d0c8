/** Slot `agent_session.set_up`: the project as a test wants it, before the agent is prepared. */
import { join, posix } from "node:path";
import type { ProjectStart } from "../../../machines/model/agent_fixture.ts";
import type { AgentWorkInput } from "../../../machines/agent_session/agent_session_setup.ts";
import { gatherProject } from "../../agent_fixtures/gather_project.ts";
import { PthError } from "../../core/errors.ts";
import { makeTempDir, mkdir, removeIfExists } from "../../platform/files.ts";
import { type GetSession, promiseActor } from "../promise_actor.ts";
import type { SessionResources } from "../session_resources.ts";
import type { AgentFolders } from "./agent_folders.ts";
import type { AgentLogs } from "./agent_logs.ts";
import { failureOfCommand, runInProject } from "./run_in_project.ts";

export const setUpProject = (stage: GetSession, logs: AgentLogs) =>
  promiseActor<void, AgentWorkInput>(
    stage,
    (live, { requestId, run }, signal) =>
      live.progress.step("agent", "setting up the project", async () => {
        const start = run.start!;
        const folders = logs.of(requestId).folders!;
        await layFiles(live, folders, start, signal);
        const commands = start.git ? [makeRepository, ...start.commands] : start.commands;
        for (const command of commands) {
          const result = await runInProject(live, folders, command, signal);
          if (result.code === 0) continue;
          const shown = command === makeRepository ? "git" : command;
          throw new PthError(
            "SETUP_FAILED",
            `Cannot set up the project: ${failureOfCommand(shown, result)}`,
            {
              output: result.stderr || result.stdout,
            },
          );
        }
      }),
  );

/** Makes a repository whose first commit holds all files, with the same id each time, and without a user's hooks. */
const makeRepository = [
  "export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null",
  "export GIT_AUTHOR_DATE=2000-01-01T00:00:00Z GIT_COMMITTER_DATE=2000-01-01T00:00:00Z",
  "git init -q --template= -b main",
  "printf '[user]\\n\\tname = pth\\n\\temail = pth@localhost\\n' >> .git/config",
  "git add -A",
  "git commit -q --allow-empty -m Start",
].join(" && ");

async function layFiles(
  live: SessionResources,
  { folder, project, home, temporary }: AgentFolders,
  start: ProjectStart,
  signal: AbortSignal,
): Promise<void> {
  const environment = live.environment.require();
  const { runtime, info: { handle } } = environment;
  environment.touched = true;
  const inside = async (command: string[]) => {
    const { code, stderr } = await runtime.exec(handle, command, { signal });
    if (code !== 0) throw new PthError("COPY_FAILED", `Cannot set up the project: ${stderr.trim()}`);
  };
  const gathered = await makeTempDir({ prefix: "pth-project-" });
  try {
    const { archive } = await gatherProject(start, gathered, signal);
    if (archive !== undefined) {
      await inside(["mkdir", "-p", project]);
      const placed = posix.join(folder, "branch.tar");
      await runtime.copyIn(handle, archive, placed, signal);
      await inside(["tar", "-xf", placed, "-C", project]);
      await inside(["rm", "-f", placed]);
      await removeIfExists(archive);
    }
    // All folders at once: each way into an environment takes some hundredths of a second.
    for (const path of [home, temporary]) await mkdir(join(gathered, posix.relative(folder, path)));
    await runtime.copyIn(handle, gathered, folder, signal);
  } finally {
    await removeIfExists(gathered);
  }
}
