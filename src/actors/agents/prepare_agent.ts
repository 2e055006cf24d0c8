/** Slot `agent_session.prepare`: an agent in the environment, with a home and a project of its own. */
import { dirname, join, posix } from "node:path";
import type { PreparedAgent } from "../../../machines/model/agent_session.ts";
import type { AgentWorkInput } from "../../../machines/agent_session_machine.ts";
import { agentNamed, findAgent } from "../../agents/adapters/agents.ts";
import { makeTempDir, mkdir, removeIfExists, writeTextFile } from "../../platform/files.ts";
import { type GetSession, promiseActor } from "../promise_actor.ts";
import { projectFiles } from "./project_files.ts";

export const prepareAgent = (stage: GetSession) =>
  promiseActor<PreparedAgent, AgentWorkInput & { url: string }>(
    stage,
    (live, { requestId, run, url }, signal) =>
      live.progress.step("agent", `preparing ${run.agent}`, async () => {
        const agent = agentNamed(run.agent);
        const environment = live.environment.require();
        const { runtime, info: { handle } } = environment;
        environment.touched = true;
        const installed = await findAgent(agent, run.program);
        const folder = posix.join(posix.dirname(handle.sourcePath), `agent-${requestId.slice(0, 8)}`);
        const own = installed.program;
        const program = own === undefined
          ? ""
          : runtime.abilities.isolated
          ? posix.join(folder, agent.installation?.program ?? "agent")
          : own;
        const place = {
          folder,
          program,
          url,
          home: posix.join(folder, "home"),
          temporary: posix.join(folder, "tmp"),
          project: posix.join(folder, "project"),
          plugin: posix.join(handle.sourcePath, live.code.source!.subfolder),
          prompt: run.prompt,
          ...(run.command === undefined ? {} : { command: run.command }),
        };
        const { words, env, stdin } = agent.command(place);
        const files = { ...agent.files(place), "project/.keep": "" };
        await withFolder(files, (host) => runtime.copyIn(handle, host, folder, signal));
        await runtime.exec(handle, ["rm", "-f", `${place.project}/.keep`], { signal });
        if (run.project !== undefined) await runtime.copyIn(handle, run.project, place.project, signal);
        if (own !== undefined && program !== own) await runtime.copyIn(handle, own, program, signal);
        return {
          folder,
          words,
          env,
          ...(stdin === undefined ? {} : { stdin }),
          cwd: place.project,
          url,
          version: installed.version,
          before: await projectFiles(environment, place.project, signal),
        };
      }, ({ version }) => version === undefined ? run.agent : `${run.agent} ${version}`),
  );

/** Makes a folder of these files on the host for the work. */
async function withFolder<T>(
  files: Record<string, string>,
  work: (folder: string) => Promise<T>,
): Promise<T> {
  const folder = await makeTempDir({ prefix: "pth-agent-" });
  try {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeTextFile(join(folder, path), text);
    }
    return await work(folder);
  } finally {
    await removeIfExists(folder);
  }
}
