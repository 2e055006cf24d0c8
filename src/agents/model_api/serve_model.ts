/** A model of PTH's own on the loopback. */
import { setTimeout as wait } from "node:timers/promises";
import { type HttpReply, serveOnLoopback } from "../../platform/http_server.ts";
import { anthropicMessages } from "./anthropic_messages.ts";
import { geminiContent } from "./gemini_content.ts";
import type { AnswerRequest, EarlierAnswer, ModelApi } from "./model_api.ts";
import { openaiChat } from "./openai_chat.ts";
import { openaiResponses } from "./openai_responses.ts";

export interface ModelServer {
  /** Base address for agents. */
  url: string;
  /** Drops what is connected, and resolves once nothing listens any more. */
  close(): Promise<void>;
}

const apis: readonly ModelApi[] = [anthropicMessages, openaiChat, openaiResponses, geminiContent];

/** Sessions of real agents send up to a few MiB; pictures and long results come on top. */
const longestBody = 64 * 1024 * 1024;

/**
 * Serves all model APIs on one port. Ids are numbered, so that two sessions have the same.
 * @throws {PthError} `PORT_TAKEN`
 */
export async function serveModel(answer: AnswerRequest, port = 0): Promise<ModelServer> {
  const closed = new AbortController();
  const { signal } = closed;
  let ids = 0;
  const newId = (kind: string) => `${kind}_${String(++ids).padStart(8, "0")}`;
  const earlier = new Map<string, EarlierAnswer>();
  const delayed: AnswerRequest = async (request) => {
    const answered = await answer(request, signal);
    const ms = "turn" in answered ? answered.turn.delay_ms ?? 0 : 0;
    // A wait that the end of the server cuts off has no one left to answer.
    if (ms > 0) await wait(ms, undefined, { signal }).catch(() => {});
    return answered;
  };
  const server = await serveOnLoopback(
    async (request): Promise<HttpReply> => {
      for (const api of apis) {
        const reply = await api.handle(request, delayed, { signal, newId, earlier });
        if (reply !== undefined) return reply;
      }
      // Agents look whether anything is there at all.
      return { status: request.method === "HEAD" ? 200 : 404 };
    },
    port,
    longestBody,
  );
  return {
    url: `http://127.0.0.1:${server.port}`,
    async close() {
      closed.abort();
      await server.close();
    },
  };
}
