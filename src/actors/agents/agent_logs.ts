/** Records of agent sessions while they run: the exchanges with the model, and the agent's output. */
import type { ModelExchange } from "../../../machines/model/agent_session.ts";
import { CallResults } from "../../agents/playbook/call_results.ts";

interface AgentLog {
  readonly exchanges: ModelExchange[];
  readonly output: string[];
  readonly results: CallResults;
}

/** Logs of the sessions that are under way, by their requests. */
export class AgentLogs {
  readonly #logs = new Map<string, AgentLog>();

  of(requestId: string): AgentLog {
    const known = this.#logs.get(requestId);
    if (known !== undefined) return known;
    const log = { exchanges: [], output: [], results: new CallResults() };
    this.#logs.set(requestId, log);
    return log;
  }

  forget(requestId: string): void {
    this.#logs.delete(requestId);
  }
}
