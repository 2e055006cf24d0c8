/** Requests about agents, such as Claude Code, that work with the plugin. */
import type { AgentSessionRequest, AgentSessionResult } from "../../machines/model/agent_session.ts";
import type { RequestOptions } from "./request_options.ts";

export interface AgentCommands {
  /**
   * Runs an agent on a playbook in the environment, with a home and a project of its own. A session that does not go as
   * the playbook says is a result with its failures.
   * @throws {PthError} `NOT_NOW` without an environment, `TOOLCHAIN_MISSING` without the agent, `UNSUPPORTED` in an
   * environment that does not reach the model
   */
  run(request: AgentSessionRequest, options?: RequestOptions): Promise<AgentSessionResult>;
}
