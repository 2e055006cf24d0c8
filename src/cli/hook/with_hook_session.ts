/** A session with an environment for the hooks of a plugin, from its start to its end. */
import type { HookRunRequest, HookRunResult } from "../../../machines/model/hook_run.ts";
import type { CommandContext, CommandLine } from "../command.ts";
import { isFolder } from "../options/agent_options.ts";
import { isolatedEnvironment } from "../options/isolated_environment.ts";
import { textValue } from "../options/option_values.ts";
import type { Problems } from "../options/problems.ts";
import { readStart, type StartRequest } from "../options/start_options.ts";
import type { RunningServer } from "../../hooks/hook_servers.ts";
import { withAgentSession } from "../agent/with_agent_session.ts";

/** Environment and server, as hooks are run with them. */
export interface HookSession {
  run(request: HookRunRequest): Promise<HookRunResult>;
  /** Present where the plugin was loaded. */
  server?: RunningServer;
}

/** Reads the options of the environment; what is wrong is added to the problems. Starts nothing. */
export async function readHookStart(
  line: CommandLine,
  plugin: string | undefined,
  context: CommandContext,
  problems: Problems,
): Promise<StartRequest> {
  if (plugin !== undefined && !await isFolder(plugin)) {
    problems.add(`hooks are read from a folder, and ${plugin} is none`);
  }
  const { var: _, ...options } = line.options;
  const env = textValue(options.env) ?? await isolatedEnvironment();
  return await readStart(
    { ...line, operands: [plugin ?? "."], options: { ...options, env } },
    context,
    problems,
  );
}

/** @returns the exit code: that of the work, or of the interruption */
export async function withHookSession(
  start: StartRequest,
  load: boolean,
  context: CommandContext,
  work: (session: HookSession) => Promise<number>,
): Promise<number> {
  return await withAgentSession(
    { ...start, load },
    context,
    (session, { signal, race }) => {
      const name = load ? session.report().plugin?.plan.serverName : undefined;
      return work({
        run: (request) => race(session.agents.runHooks(request, { signal })),
        ...(name === undefined ? {} : {
          server: {
            name,
            call: (tool, input, limitMs) =>
              race(session.plugin.call(tool, input, { signal, timeoutSeconds: limitMs / 1000 })),
          },
        }),
      });
    },
  );
}
