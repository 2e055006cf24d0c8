/** A model API: the protocol by which agents ask a model, one file each. */
import type { Turn } from "../../../machines/model/playbook.ts";
import type { HttpReply, HttpRequest } from "../../platform/http_server.ts";
import type { ModelRequest } from "../playbook/model_request.ts";

/** Answer to a request: a turn, or the reason why there is none. */
export type ModelAnswer = { turn: Turn } | { refused: string };

/** @param signal Aborted when the server closes. */
export type AnswerRequest = (request: ModelRequest, signal: AbortSignal) => Promise<ModelAnswer>;

export interface ModelApi {
  /** Name for messages. */
  name: string;
  /** Answers a request of this API; undefined for one that is not of it. */
  handle(
    request: HttpRequest,
    answer: AnswerRequest,
    options: { signal: AbortSignal; newId: (kind: string) => string },
  ): Promise<HttpReply | undefined>;
}
