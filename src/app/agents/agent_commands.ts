/** Agents that work with the plugin: which there are, their sessions, and who works on tests with a prompt. */
import type { AgentDefinition } from "../../agents/adapters/agent.ts";
import type { AgentCommands, AgentState } from "../../api/agent_commands.ts";
import { errorMessage, PthError } from "../../core/errors.ts";
import { definedOnly } from "../../core/values.ts";
import { runTask } from "../run_task.ts";
import { type SessionParts, withProgress } from "../session/session_parts.ts";

export function agentCommands(context: SessionParts): AgentCommands {
  const run: AgentCommands["run"] = (run, options = {}) =>
    withProgress(context, options, async () => {
      requireEnvironment(context, "run the agent");
      return await runTask(context, { type: "session.run_agent", run }, options);
    });
  return {
    async list() {
      const { agents } = await import("../../agents/adapters/agents.ts");
      return await Promise.all(agents.map(stateOf));
    },
    async choose({ playbook, ...choice }) {
      const [{ loadPlaybooks }, { chosenAgent }] = await Promise.all([
        import("../../agents/playbook/load_playbooks.ts"),
        import("./chosen_agent.ts"),
      ]);
      const playbooks = await loadPlaybooks(playbook, false);
      return { playbooks, ...await chosenAgent(choice) };
    },
    use: (agent) => void (context.promptAgent.current = agent),
    inUse: () => context.promptAgent.current,
    run,
    async record(request, options) {
      requireEnvironment(context, "run the agent");
      const { recordSession } = await import("./record_session.ts");
      return await recordSession(context, request, (session) => run(session, options));
    },
    async replay(request, options) {
      requireEnvironment(context, "run the agent");
      const { replaySession } = await import("./replay_session.ts");
      return await replaySession(context, request, (session) => run(session, options));
    },
    runHooks: (run, options = {}) =>
      withProgress(context, options, async () => {
        requireEnvironment(context, "run the hooks");
        return await runTask(context, { type: "session.run_hooks", run }, options);
      }),
    evaluate: (evals, options = {}) =>
      withProgress(context, options, async () => {
        const { runnerProblems } = await import("../../agents/evals/plan_case.ts");
        const [problem] = runnerProblems(evals, evals.agent.agent);
        if (problem !== undefined) throw new PthError("INVALID_INPUT", `Cannot run evals: ${problem}`);
        return await runTask(context, { type: "session.run_evals", evals }, options);
      }),
    test: (run, options = {}) =>
      withProgress(context, options, async () => {
        requireEnvironment(context, "run the fixture");
        return await runTask(context, { type: "session.run_fixture", run }, options);
      }),
  };
}

/** @throws {PthError} `NOT_NOW` */
function requireEnvironment({ live }: SessionParts, action: string): void {
  if (live.environment.current !== undefined) return;
  throw new PthError("NOT_NOW", `Cannot ${action}: there is no environment`, {
    next: [{ mcp: "Provision one first: pth_provision_environment" }],
  });
}

async function stateOf(agent: AgentDefinition): Promise<AgentState> {
  const { name, summary, abilities } = agent;
  try {
    const { findAgent } = await import("../../agents/adapters/agents.ts");
    return { name, summary, abilities, ...definedOnly(await findAgent(agent)) };
  } catch (error) {
    return { name, summary, abilities, missing: errorMessage(error) };
  }
}
