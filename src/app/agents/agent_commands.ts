/** Sessions of agents in the environment. */
import type { AgentCommands } from "../../api/agent_commands.ts";
import { PthError } from "../../core/errors.ts";
import { runTask } from "../run_task.ts";
import { type SessionParts, withProgress } from "../session/session_parts.ts";

export function agentCommands(context: SessionParts): AgentCommands {
  return {
    run: (run, options = {}) =>
      withProgress(context, options, async () => {
        if (context.live.environment.current === undefined) {
          throw new PthError("NOT_NOW", "Cannot run the agent: there is no environment", {
            next: [{ mcp: "Provision one first: pth_provision_environment" }],
          });
        }
        return await runTask(context, { type: "session.run_agent", run }, options);
      }),
  };
}
