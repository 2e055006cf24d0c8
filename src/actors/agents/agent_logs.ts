/** Records of agent sessions while they run: the exchanges with the model, and the agent's output. */
import type { ModelExchange } from "../../../machines/model/agent_session.ts";

interface AgentLog {
  readonly exchanges: ModelExchange[];
  readonly output: string[];
}

/** Logs of the sessions that are under way, by their requests. */
export class AgentLogs {
  readonly #logs = new Map<string, AgentLog>();

  of(requestId: string): AgentLog {
    const known = this.#logs.get(requestId);
    if (known !== undefined) return known;
    const log = { exchanges: [], output: [] };
    this.#logs.set(requestId, log);
    return log;
  }

  forget(requestId: string): void {
    this.#logs.delete(requestId);
  }
}
