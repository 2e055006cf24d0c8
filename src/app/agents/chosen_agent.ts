/** Finds the agent of a request on this machine. */
import type { AgentCommandLine } from "../../../machines/model/agent_session.ts";
import { agentNamed, agents, findAgent } from "../../agents/adapters/agents.ts";
import type { AgentChoice } from "../../api/agent_commands.ts";
import { PthError } from "../../core/errors.ts";
import { definedOnly } from "../../core/values.ts";

interface ChosenAgent {
  agent: string;
  program?: string;
  command?: AgentCommandLine;
}

/** @throws {PthError} `INVALID_INPUT`, `TOOLCHAIN_MISSING` */
export async function chosenAgent(
  { agent: name, command, folder }: Omit<AgentChoice, "playbook">,
): Promise<ChosenAgent> {
  const agent = agentNamed(name, agents);
  if ((agent.installation === undefined) !== (command !== undefined)) {
    const state = command === undefined ? "it needs a command line" : "it takes no command line";
    throw new PthError("INVALID_INPUT", `Cannot choose the agent ${name}: ${state}`);
  }
  const { program } = await findAgent(agent, folder);
  return { agent: name, ...definedOnly({ program, command }) };
}
