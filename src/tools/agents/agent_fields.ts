/** Arguments of tools that run agents. */
import * as z from "zod";
import type { AgentChoice } from "../../api/agent_commands.ts";
import { hostPathField } from "../fields.ts";

export const agentFields = {
  agent: z.string().min(1).default("claude").describe("As in pth_list_agents."),
  command: z.string().min(1).exactOptional()
    .describe("For the agent `command`: its line for a shell; the prompt is the last argument."),
  stdin: z.boolean().exactOptional().describe("true: the command gets the prompt on stdin."),
  folder: hostPathField.exactOptional().describe("Folder of the command's files, there in $PTH_AGENT."),
};

export const sessionFields = {
  project: hostPathField.exactOptional().describe(
    "Folder of which it works in a copy. Default: an empty one.",
  ),
  timeoutSeconds: z.number().positive().exactOptional().describe("Default: 300."),
};

export const sessionOutput = {
  failures: z.array(z.string()),
  played: z.number(),
  trace: z.unknown(),
};

interface AgentInput {
  agent: string;
  playbook: string;
  command?: string;
  stdin?: boolean;
  folder?: string;
}

export const agentChoice = ({ agent, playbook, ...program }: AgentInput): AgentChoice => ({
  agent,
  playbook,
  ...programChoice(program),
});

/** The part that says how the agent `command` is started. */
export const programChoice = (
  { command, stdin = false, folder }: Omit<AgentInput, "agent" | "playbook">,
): Pick<AgentChoice, "command" | "folder"> => ({
  ...(command === undefined ? {} : { command: { line: command, stdin } }),
  ...(folder === undefined ? {} : { folder }),
});
