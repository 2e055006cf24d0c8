/** OpenAI's Chat Completions API: `POST /v1/chat/completions`, streaming and not. */
import { isObject } from "../../core/values.ts";
import type { ModelRequest } from "../playbook/model_request.ts";
import type { ModelApi } from "./model_api.ts";
import type { ModelTurn } from "./model_turn.ts";
import { bearer, createdAt, openaiFailure, openaiTokens } from "./openai_values.ts";
import { readChatAnswer } from "./read_chat_answer.ts";
import { readChatRequest } from "./read_chat_request.ts";
import { replyToRequest, serverEvent } from "./reply_to_request.ts";

export const openaiChat: ModelApi = {
  name: "OpenAI Chat Completions",
  async handle(http, answer, tools) {
    const { pathname } = new URL(http.path, "http://loopback");
    if (http.method !== "POST" || !/^(?:\/v1)?\/chat\/completions$/.test(pathname)) return undefined;
    return await replyToRequest(http, answer, tools, {
      read: readChatRequest,
      failure: openaiFailure,
      answer: (turn, request) => completionOf(turn, request, tools.newId),
      stream: chunksOf,
      upstream: () => ({ authorize: bearer, read: readChatAnswer }),
    });
  },
};

function completionOf(turn: ModelTurn, request: ModelRequest, newId: (kind: string) => string) {
  const { text, thinking, calls = [], usage } = turn;
  const { input, output, cached, total } = openaiTokens(usage);
  return {
    id: newId("chatcmpl"),
    object: "chat.completion",
    created: createdAt,
    model: request.model,
    choices: [{
      index: 0,
      message: {
        role: "assistant" as const,
        content: text ?? null,
        refusal: null,
        // No field of OpenAI's own: models of others that are asked through this API think in it.
        ...(thinking === undefined ? {} : { reasoning_content: thinking }),
        ...(calls.length === 0 ? {} : {
          tool_calls: calls.map(({ id = newId("call"), tool, input = {} }) => ({
            id,
            type: "function" as const,
            function: { name: tool, arguments: JSON.stringify(input) },
          })),
        }),
      },
      logprobs: null,
      finish_reason: calls.length > 0 ? "tool_calls" : "stop",
    }],
    usage: {
      prompt_tokens: input,
      completion_tokens: output,
      total_tokens: total,
      prompt_tokens_details: { cached_tokens: cached },
    },
  };
}

/** The completion as chunks. */
function chunksOf(completion: ReturnType<typeof completionOf>, { body }: ModelRequest): string[] {
  const { choices: [choice], usage, ...head } = completion;
  const { message: { content, tool_calls: calls = [], ...message }, finish_reason } = choice!;
  const chunk = (rest: object) => serverEvent({ ...head, object: "chat.completion.chunk", ...rest });
  const delta = (delta: object, finish: string | null = null) =>
    chunk({ choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }] });
  const wantsUsage = isObject(body.stream_options) && body.stream_options.include_usage === true;
  return [
    delta({ role: message.role, content: "", refusal: null }),
    ...("reasoning_content" in message ? [delta({ reasoning_content: message.reasoning_content })] : []),
    ...(content === null ? [] : [delta({ content })]),
    ...calls.flatMap(({ function: { name, arguments: input }, ...call }, index) => [
      delta({ tool_calls: [{ index, ...call, function: { name, arguments: "" } }] }),
      delta({ tool_calls: [{ index, function: { arguments: input } }] }),
    ]),
    delta({}, finish_reason),
    ...(wantsUsage ? [chunk({ choices: [], usage })] : []),
    "data: [DONE]\n\n",
  ];
}
