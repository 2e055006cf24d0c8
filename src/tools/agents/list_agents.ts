import * as z from "zod";
import type { AgentState } from "../../api/agent_commands.ts";
import { joinLines } from "../text/join_lines.ts";
import { defineTool, readsOnly } from "../tool.ts";

export default defineTool({
  title: "List agents",
  description: "Agents that PTH can run, with versions and abilities, and who works on tests with a prompt.",
  annotations: readsOnly,
  input: z.strictObject({}),
  output: z.object({
    agents: z.array(z.object({
      name: z.string(),
      summary: z.string(),
      version: z.string().exactOptional(),
      program: z.string().exactOptional(),
      missing: z.string().exactOptional(),
      abilities: z.object({
        loads: z.array(z.string()).readonly(),
        api: z.string().exactOptional(),
        transcript: z.boolean(),
        sideCalls: z.boolean(),
      }),
    })),
    inUse: z.string().exactOptional(),
  }),
  async run(_input, { harness }) {
    const { agents: commands } = harness.session();
    const agents = await commands.list();
    const inUse = commands.inUse();
    return {
      text: joinLines(
        ...agents.map(agentRow),
        inUse === undefined
          ? "No agent works on tests with a prompt: pth_use_agent({ agent, playbook })"
          : `${inUse.agent} works on tests with a prompt, with ${inUse.playbooks.place}`,
      ),
      data: { agents, ...(inUse === undefined ? {} : { inUse: inUse.agent }) },
    };
  },
});

function agentRow({ name, summary, version, missing, abilities }: AgentState): string {
  const state = missing ?? version ?? "takes a command line";
  return `- ${name} (${summary}): ${state}; loads ${abilities.loads.join(", ") || "nothing of a plugin"}`;
}
