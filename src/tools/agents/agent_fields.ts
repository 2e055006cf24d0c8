/** Arguments of tools that run agents. */
import { z } from "zod";
import type { AgentChoice } from "../../api/agent_commands.ts";
import { hostPathField } from "../fields.ts";

export const agentFields = {
  agent: z.string().min(1).default("claude").describe("As in pth_list_agents."),
  command: z.string().min(1).exactOptional()
    .describe("For the agent `command`: its line for a shell; the prompt is the last argument."),
  stdin: z.boolean().exactOptional().describe("true: the command gets the prompt on stdin."),
  folder: hostPathField.exactOptional().describe("Folder of the command's files, there in $PTH_AGENT."),
};

interface AgentInput {
  agent: string;
  playbook: string;
  command?: string;
  stdin?: boolean;
  folder?: string;
}

export const agentChoice = (
  { agent, playbook, command, stdin = false, folder }: AgentInput,
): AgentChoice => ({
  agent,
  playbook,
  ...(command === undefined ? {} : { command: { line: command, stdin } }),
  ...(folder === undefined ? {} : { folder }),
});
