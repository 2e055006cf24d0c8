/** Records of agent sessions while they run: the exchanges with the model, and the agent's output. */
import type { ModelExchange } from "../../../machines/model/agent_session.ts";
import type { AgentFolders } from "./agent_folders.ts";
import type { ModelInputs } from "./model_inputs.ts";
import { CallResults } from "../../agents/playbook/call_results.ts";
import type { RequestImage, RequestImages } from "../../agents/recording/request_images.ts";
import type { SessionRecorder } from "../../agents/recording/session_recorder.ts";

/** Log of one session. */
export interface AgentLog {
  readonly exchanges: ModelExchange[];
  readonly output: string[];
  readonly results: CallResults;
  /** Chosen when its model is served. */
  folders?: AgentFolders;
  /** Pid of the agent once it was started, as the environment numbers it. */
  pid?: number;
  /** Hooks that ran when the agent was stopped. */
  pendingHooks?: string[];
  /** Texts that the model was sent, where they are to be kept. */
  modelInputs?: ModelInputs;
  /** Recorder of a session on a real model. */
  recorder?: SessionRecorder;
  /** Requests of a session on a recorded playbook, by the names that turns give. */
  replayed?: { images: RequestImages; came: Map<string, RequestImage & { place: string }> };
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
