/** Plans the sessions of an agent that works on a test with a prompt. */
import type { AgentSessionRequest } from "../../../machines/model/agent_session.ts";
import type { PlannedTest } from "../../../machines/model/observation.ts";
import type { Playbook } from "../../../machines/model/playbook.ts";
import type { PluginPlan } from "../../../machines/model/plugin.ts";
import type { PlannedAgent, PlaybookFiles, PromptAgent } from "../../../machines/model/prompt_agent.ts";
import type { TestCase } from "../../../machines/model/test_case.ts";

/** Adds the agent's sessions where the test has a prompt; other tests stay as they are. */
export function planAgent(
  planned: PlannedTest,
  agent: PromptAgent | undefined,
  plan: PluginPlan | undefined,
): PlannedTest {
  if (agent === undefined || planned.test.prompt === undefined) return planned;
  return { ...planned, agent: sessionsFor(planned, agent, plan) };
}

function sessionsFor(
  { test, timeoutMs }: PlannedTest,
  { playbooks, ...agent }: PromptAgent,
  plan: PluginPlan | undefined,
): PlannedAgent {
  const startsServer = plan?.server.type === "stdio";
  const judged = (test.checklist ?? []).length > 0;
  if ("real" in playbooks) {
    const session = (prompt: string) => ({
      ...agent,
      ...playbooks.real,
      prompt,
      playbook: { lanes: [] },
      timeoutMs,
    });
    return { work: session(test.prompt!), ...(judged ? { judge: session("") } : {}), startsServer };
  }
  const playbook = playbookFor(test, playbooks);
  if (playbook === undefined) {
    return { problem: `there is no playbook for the test: ${playbooks.place} has no ${test.id}.yaml` };
  }
  const { judge, ...played } = playbook;
  if (judged && judge === undefined) {
    return {
      problem:
        `${playbooks.place}: the playbook for ${test.id} has no turns under \`judge\`, which the checklist needs`,
    };
  }
  const session = (prompt: string, playbook: Playbook): AgentSessionRequest => ({
    ...agent,
    prompt,
    playbook,
    timeoutMs,
  });
  return {
    work: session(test.prompt!, played),
    ...(judged ? { judge: session("", { lanes: [{ name: "judge", turns: judge! }] }) } : {}),
    startsServer,
  };
}

const playbookFor = ({ id }: TestCase, choice: PlaybookFiles): Playbook | undefined =>
  "each" in choice ? choice.each : Object.hasOwn(choice.byTest, id) ? choice.byTest[id] : undefined;
