import * as z from "zod";
import { hostPathField } from "../fields.ts";
import { defineTool } from "../tool.ts";
import { agentChoice, agentFields } from "./agent_fields.ts";

export default defineTool({
  title: "Choose the agent for tests",
  description:
    "From now on this agent works on tests with a prompt, in pth_run_test, suites and iterations: a session, the verify commands, " +
    "a session that judges the checklist (`judge` in the playbook). Without playbook: no agent does.",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: z.strictObject({
    ...agentFields,
    playbook: hostPathField.exactOptional()
      .describe("File of turns in the model's place (YAML, JSON), or a folder with <test id>.yaml for each."),
  }),
  output: z.object({ agent: z.string().exactOptional(), tests: z.number() }),
  async run({ playbook, ...input }, { harness }) {
    const { agents, tests } = harness.session();
    const prompts = tests.list().filter(({ prompt }) => prompt !== undefined).length;
    const agent = playbook === undefined
      ? undefined
      : await agents.choose(agentChoice({ ...input, playbook }));
    agents.use(agent);
    return {
      text: agent === undefined
        ? "No agent works on tests with a prompt."
        : `${agent.agent} works on tests with a prompt (${prompts} now). Next: pth_run_test_suite({ tier: 3 }).`,
      data: { tests: prompts, ...(agent === undefined ? {} : { agent: agent.agent }) },
    };
  },
});
