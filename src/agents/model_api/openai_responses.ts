/** OpenAI's Responses API: `POST /v1/responses`, streaming and not. */
import type { ModelApi } from "./model_api.ts";
import { keepAnswer, modelResponse } from "./model_response.ts";
import { bearer, openaiFailure } from "./openai_values.ts";
import { readResponsesAnswer } from "./read_responses_answer.ts";
import { readResponsesRequest } from "./read_responses_request.ts";
import { replyToRequest } from "./reply_to_request.ts";
import { responseEvents } from "./response_events.ts";

export const openaiResponses: ModelApi = {
  name: "OpenAI Responses",
  async handle(http, answer, tools) {
    const { pathname } = new URL(http.path, "http://loopback");
    if (http.method !== "POST" || !/^(?:\/v1)?\/responses$/.test(pathname)) return undefined;
    return await replyToRequest(http, answer, tools, {
      read: (body) => readResponsesRequest(body, tools.earlier),
      failure: openaiFailure,
      answer: (turn, request) => modelResponse(turn, request, tools),
      stream: responseEvents,
      upstream: (request) => ({
        authorize: bearer,
        read(body) {
          const found = readResponsesAnswer(body);
          if (found?.id !== undefined) keepAnswer(found.id, request.body, found.items, tools.earlier);
          return found;
        },
      }),
    });
  },
};
