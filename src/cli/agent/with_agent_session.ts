/** A session in which an agent works with the plugin, for all actions of `pth agent` that have one, and its options. */
import { resolve } from "node:path";
import type { PromptAgent } from "../../../machines/model/prompt_agent.ts";
import type { Session } from "../../api/harness.ts";
import { definedOnly } from "../../core/values.ts";
import { dispatch } from "../../testing/reporter.ts";
import { createProgress } from "../../testing/reporters/spec/spec_progress.ts";
import type { CommandContext, CommandLine } from "../command.ts";
import type { Interruption } from "../listen_for_interrupts.ts";
import { isFolder, programOf, readAgentName, readAgentProgram } from "../options/agent_options.ts";
import { textValue } from "../options/option_values.ts";
import type { Problems } from "../options/problems.ts";
import { readStart, type StartRequest } from "../options/start_options.ts";
import { usualEnvironment } from "../options/usual_environment.ts";
import { withHarness } from "../with_harness.ts";

export interface AgentCommandStart extends StartRequest {
  /** Whether the plugin's server is installed, built and started first. */
  load: boolean;
  /** Folder of which the agent works in a copy, absolute. */
  project?: string;
  /** Name of the agent, once nothing was wrong with it. */
  agent: string;
  /** @throws {PthError} as `programOf` */
  findAgent(): Promise<Omit<PromptAgent, "playbooks">>;
}

/** @param usual Name of the agent where none is given; absent: claude */
export async function readAgentCommand(
  line: CommandLine,
  usual: string | undefined,
  context: CommandContext,
  problems: Problems,
): Promise<AgentCommandStart> {
  const { operands: [, plugin = "."], options } = line;
  const project = textValue(options.project);
  if (project !== undefined && !await isFolder(project)) {
    problems.add(`--project: there is no folder ${project}`);
  }
  const env = textValue(options.env) ?? await usualEnvironment();
  const start = await readStart(
    { ...line, operands: [plugin], options: { ...options, env } },
    context,
    problems,
  );
  const agent = readAgentName(textValue(options.agent) ?? usual ?? "claude", problems);
  const choice = await readAgentProgram(options, agent, problems);
  return {
    ...start,
    load: options.load === true,
    ...(project === undefined ? {} : { project: resolve(project) }),
    agent: agent?.name ?? "",
    findAgent: async () => ({
      agent: agent!.name,
      ...definedOnly({
        program: await programOf(agent!, choice, (text) => context.stderr.write(text)),
        command: choice.command,
      }),
    }),
  };
}

/**
 * Does the work in a new session, whose progress is shown, and ends it.
 * @returns the work's exit code, or that of an interruption
 */
export async function withAgentSession(
  start: StartRequest & Pick<AgentCommandStart, "load">,
  context: CommandContext,
  work: (
    session: Session,
    interruption: Interruption,
    progress: ReturnType<typeof createProgress>,
  ) => Promise<number>,
): Promise<number> {
  const progress = createProgress(context.stderr);
  return await withHarness(start, context, async (harness, interruption) => {
    const { signal, race, exitCode } = interruption;
    const stopFollowing = harness.on((fact) => dispatch(progress.hooks, fact));
    try {
      await race(harness.startSession(start.target, { signal, mode: "run", force: start.force }));
      const session = harness.session();
      await race(session.environment.provision(start.config, { signal }));
      if (start.load) await race(session.plugin.load({}, { signal, ...start.asking }));
      return await work(session, interruption, progress);
    } catch (error) {
      const interrupted = exitCode();
      if (interrupted === undefined) throw error;
      return interrupted;
    } finally {
      stopFollowing();
      progress.live.show(undefined);
    }
  });
}
