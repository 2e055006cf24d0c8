/** `--agent`, `--playbook` and their kin: the agent that works on tests with a prompt. */
import type { Command } from "commander";
import { resolve } from "node:path";
import type { AgentCommandLine } from "../../../machines/model/agent_session.ts";
import type { PromptAgent } from "../../../machines/model/prompt_agent.ts";
import type { AgentDefinition } from "../../agents/adapters/agent.ts";
import { agents, findAgent } from "../../agents/adapters/agents.ts";
import { asPthError } from "../../core/errors.ts";
import { stat } from "../../platform/files.ts";
import { textValue } from "./option_values.ts";
import { addModelOptions, modelOptions, readRealModel } from "./model_options.ts";
import type { Problems } from "./problems.ts";

/** Options of the program that is run as an agent; `--agent` and `--playbook` are described by each command. */
export const addProgramOptions = (command: Command): Command =>
  command
    .option(
      "--agent-version <version>",
      "version of the agent, which is installed once from npm into a cache (default: the one of this machine)",
    )
    .option(
      "--agent-command <line>",
      "for --agent command: the program, as a shell reads it; the prompt is its last argument",
    )
    .option("--agent-stdin", "for --agent command: give it the prompt on stdin")
    .option("--agent-folder <folder>", "for --agent command: folder of its files, there in $PTH_AGENT");

export const addAgentOptions = (command: Command): Command =>
  addModelOptions(addProgramOptions(
    command
      .option("--agent <name>", `agent that works on tests with a prompt: ${namesOfAgents()}`)
      .option(
        "--playbook <path>",
        "turns in its model's place: a file for all tests with a prompt, or a folder with <test id>.yaml for each",
      ),
  ));

/** Reads and checks; undefined where no agent was asked for. Everything that is wrong is added to the problems. */
export async function readPromptAgent(
  options: Record<string, unknown>,
  problems: Problems,
): Promise<PromptAgent | undefined> {
  const name = textValue(options.agent);
  const place = textValue(options.playbook);
  if (name === undefined) {
    for (
      const option of [
        "playbook",
        "agent-version",
        "agent-command",
        "agent-stdin",
        "agent-folder",
        ...modelOptions,
      ]
    ) {
      if (options[camelCase(option)] !== undefined) {
        problems.add(`--${option} needs an agent: --agent <name>`);
      }
    }
    return undefined;
  }
  const agent = readAgentName(name, problems);
  const choice = await readAgentProgram(options, agent, problems);
  const real = readRealModel(options, problems);
  if (place === undefined && real === undefined) {
    problems.add(
      "--playbook: name a file of turns for the agent's model, or a folder of them; or a real model with --upstream",
    );
  } else if (place !== undefined && real !== undefined) {
    problems.add("--playbook and --upstream: a model is one or the other");
  }
  if (agent === undefined || !problems.empty) return undefined;
  try {
    const { loadPlaybooks } = await import("../../agents/playbook/load_playbooks.ts");
    const playbooks = real === undefined ? await loadPlaybooks(place!) : { place: real.upstream.url, real };
    const program = await programOf(agent, choice);
    return {
      agent: agent.name,
      playbooks,
      ...(program === undefined ? {} : { program }),
      ...(choice.command === undefined ? {} : { command: choice.command }),
    };
  } catch (error) {
    problems.add(asPthError(error, "Cannot use the agent").message);
    return undefined;
  }
}

export function readAgentName(name: unknown, problems: Problems): AgentDefinition | undefined {
  const agent = agents.find((agent) => agent.name === name);
  if (agent === undefined) problems.add(`--agent: expected one of ${namesOfAgents()}, not "${name}"`);
  return agent;
}

export interface ProgramChoice {
  command?: AgentCommandLine;
  /** Folder of the command's files, absolute. */
  folder?: string;
  version?: string;
}

/** Command line and folder are those of the agent `command`; other agents have versions. */
export async function readAgentProgram(
  options: Record<string, unknown>,
  agent: AgentDefinition | undefined,
  problems: Problems,
): Promise<ProgramChoice> {
  const version = textValue(options.agentVersion);
  const folder = textValue(options.agentFolder);
  if (folder !== undefined && !await isFolder(folder)) {
    problems.add(`--agent-folder: there is no folder ${folder}`);
  }
  const line = textValue(options.agentCommand)?.trim();
  if (agent === undefined || agent.installation !== undefined) {
    for (const option of ["agent-command", "agent-stdin", "agent-folder"]) {
      if (options[camelCase(option)] !== undefined) problems.add(`--${option} is for --agent command`);
    }
    return version === undefined ? {} : { version };
  }
  if (version !== undefined) {
    problems.add("--agent-version is for agents that npm has, not for --agent command");
  }
  if (line === undefined || line === "") {
    problems.add('--agent-command: give the program, such as "node agent.mjs"');
    return {};
  }
  return {
    command: { line, stdin: options.agentStdin === true },
    ...(folder === undefined ? {} : { folder: resolve(folder) }),
  };
}

/**
 * Program of an agent, installed where a version is asked for.
 * @param tell Takes what is done, where it takes long
 * @throws {PthError} as `findAgent` and `agentOfVersion`
 */
export const programOf = async (
  agent: AgentDefinition,
  { folder, version }: ProgramChoice,
  tell: (text: string) => void = () => {},
): Promise<string | undefined> =>
  version === undefined
    ? (await findAgent(agent, folder)).program
    : await (await import("../../agents/adapters/agent_versions.ts")).agentOfVersion(agent, version, {
      tell,
    });

export const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(({ isDirectory }) => isDirectory, () => false); // nothing is there, or it cannot be seen

const namesOfAgents = (): string => agents.map(({ name }) => name).join(", ");

const camelCase = (option: string): string =>
  option.replaceAll(/-[a-z]/g, ([, letter]) => letter!.toUpperCase());
