/** A model API: the protocol by which agents ask a model, one file each. */
import type { HttpReply, HttpRequest } from "../../platform/http_server.ts";
import type { ModelRequest } from "../playbook/model_request.ts";
import type { ModelTurn } from "./model_turn.ts";
import type { PassOn } from "./upstream.ts";

/** Answer to a request: a turn, the reason why there is none, or the real model that is to give it. */
export type ModelAnswer = { turn: ModelTurn } | { refused: string } | { passOn: PassOn };

/** @param signal Aborted when the server closes. */
export type AnswerRequest = (request: ModelRequest, signal: AbortSignal) => Promise<ModelAnswer>;

/** Means that a server lends to its APIs. */
export interface ModelTools {
  signal: AbortSignal;
  newId(kind: string): string;
  /** Answers that later requests may continue by their id. */
  earlier: Map<string, EarlierAnswer>;
}

/** One exchange as its API keeps it: what was sent and answered, and the one before it. */
export interface EarlierAnswer {
  before: EarlierAnswer | undefined;
  items: unknown[];
}

export interface ModelApi {
  /** Name for messages. */
  name: string;
  /** Answers a request of this API; undefined for one that is not of it. */
  handle(request: HttpRequest, answer: AnswerRequest, tools: ModelTools): Promise<HttpReply | undefined>;
}
