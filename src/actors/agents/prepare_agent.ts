/** Slot `agent_session.prepare`: an agent in the environment, with a home and a project of its own. */
import { join } from "node:path";
import type { PreparedAgent } from "../../../machines/model/agent_session.ts";
import type { AgentWorkInput } from "../../../machines/agent_session/agent_session_setup.ts";
import { agentNamed, findAgent } from "../../agents/adapters/agents.ts";
import { missingParts, noParts, pluginParts } from "../../agents/adapters/plugin_parts.ts";
import { PthError } from "../../core/errors.ts";
import { definedOnly } from "../../core/values.ts";
import { type GetSession, promiseActor } from "../promise_actor.ts";
import type { LiveEnvironment } from "../stores/environment_holder.ts";
import type { AgentLogs } from "./agent_logs.ts";
import { placeProgram } from "./place_program.ts";
import { projectFiles } from "./project_files.ts";
import { noGit, projectGit } from "./project_git.ts";
import { readPluginParts } from "./read_plugin_parts.ts";
import { pluginVariables, serverForAgent, withServer } from "./server_for_agent.ts";
import { withHostFolder } from "./with_host_folder.ts";

/** Times that an emulated machine may take, of what this one takes. */
const slownessOfMachines = 5;

export const prepareAgent = (stage: GetSession, logs: AgentLogs) =>
  promiseActor<PreparedAgent, AgentWorkInput & { url: string }>(
    stage,
    (live, { requestId, run, url }, signal) =>
      live.progress.step("agent", `preparing ${run.agent}`, async () => {
        const agent = agentNamed(run.agent);
        if ((run.tools !== undefined || run.asksPermission === true) && agent.restricts !== true) {
          throw new PthError(
            "UNSUPPORTED",
            `Cannot restrict the tools of ${agent.name}: it gets all of them`,
          );
        }
        const environment = live.environment.require();
        const { runtime, info: { handle, config } } = environment;
        environment.touched = true;
        const installed = await findAgent(agent, run.program);
        const { folders } = logs.of(requestId);
        const { folder, plugin } = folders!;
        const source = live.code.source!;
        const server = await serverForAgent(live, plugin, signal);
        const { parts, notes } = agent.installation === undefined
          ? { parts: noParts, notes: [] }
          : await readPluginParts(
            join(source.worktree, source.subfolder),
            plugin,
            config.targetPlugin?.configValues,
          );
        const place = {
          ...folders!,
          program: "",
          url,
          ...(server === undefined ? {} : { server }),
          ...definedOnly({ model: run.model, tools: run.tools, asksPermission: run.asksPermission }),
          prompt: run.prompt,
          parts: withServer(parts, server),
          ...(run.command === undefined ? {} : { command: run.command }),
          ...(run.evaluation === undefined ? {} : { evaluation: run.evaluation }),
        };
        // A project that was set up is there.
        const keep = run.start === undefined ? { "project/.keep": "" } : {};
        const files = { ...agent.files(place), ...keep, ".git": noRepository };
        await withHostFolder(files, (host) => runtime.copyIn(handle, host, folder, signal));
        if (run.start === undefined) {
          await runtime.exec(handle, ["rm", "-f", `${place.project}/.keep`], { signal });
        }
        if (run.project !== undefined) await runtime.copyIn(handle, run.project, place.project, signal);
        const copies = (agent.copies?.(place) ?? []).flatMap((
          [from, to],
        ) => [`${plugin}/${from}`, `${folder}/${to}`]);
        await copyInside(environment, copies, signal);
        const { program, node, note } = await placeProgram(
          environment,
          agent.name,
          installed,
          folder,
          signal,
        );
        const { words, env, stdin } = agent.command({ ...place, program });
        // Without a project there is none yet, whose git could have a state.
        const [before, { git, problem }] = await Promise.all([
          projectFiles(environment, place.project, signal),
          run.project === undefined ? noGit : projectGit(environment, place.project, signal),
        ]);
        return {
          folder,
          words: node === undefined ? words : [node, ...words],
          env: { ...pluginVariables(live), ...env },
          ...(stdin === undefined ? {} : { stdin }),
          cwd: place.project,
          url,
          version: installed.version,
          notes: [
            ...(agent.installation === undefined
              ? []
              : missingParts(agent.name, agent.abilities.loads, parts)),
            ...(agent.abilities.loads.length === pluginParts.length ? [] : notes),
            ...(agent.notes?.(place) ?? []),
            ...(note === undefined ? [] : [note]),
            ...(problem === undefined ? [] : [problem]),
          ],
          ...(git === undefined ? {} : { git }),
          ...(handle.tier === 3 ? { slowness: slownessOfMachines } : {}),
          before,
        };
      }, ({ version }) => version === undefined ? run.agent : `${run.agent} ${version}`),
  );

/**
 * A file `.git` of no repository, above the project: agents look for commands, skills and notes in all folders up to the
 * next one, and on the host the user's home may lie above.
 */
const noRepository = "gitdir: /nowhere\n";

/** Copies files and folders within the environment; pairs of where from and where to. */
async function copyInside(
  { runtime, info }: LiveEnvironment,
  pairs: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  if (pairs.length === 0) return;
  const script = 'set -e; while [ $# -gt 1 ]; do mkdir -p "${2%/*}"; cp -R "$1" "$2"; shift 2; done';
  const { code, stderr } = await runtime.exec(info.handle, ["sh", "-c", script, "sh", ...pairs], { signal });
  if (code !== 0) throw new PthError("COPY_FAILED", `Cannot give the agent its files: ${stderr.trim()}`);
}
