/** Anthropic's Messages API: `POST /v1/messages`, streaming and not, and `/v1/messages/count_tokens`. */
import type { ModelApi } from "./model_api.ts";
import type { ModelTurn } from "./model_turn.ts";
import { readMessagesAnswer } from "./read_messages_answer.ts";
import { readMessagesRequest } from "./read_messages_request.ts";
import { replyToRequest, serverEvent } from "./reply_to_request.ts";

const messagesPath = "/v1/messages";
const countPath = `${messagesPath}/count_tokens`;

export const anthropicMessages: ModelApi = {
  name: "Anthropic Messages",
  async handle(http, answer, tools) {
    const { pathname } = new URL(http.path, "http://loopback");
    if (http.method !== "POST" || (pathname !== messagesPath && pathname !== countPath)) return undefined;
    return await replyToRequest(http, answer, tools, {
      read: (body) => readMessagesRequest(body, http.headers["x-claude-code-agent-id"]),
      ...(pathname === countPath ? { count: (tokens) => ({ input_tokens: tokens }) } : {}),
      failure: (status, message) => ({ type: "error", error: { type: errorType(status), message } }),
      answer: (turn, { model }) => messageOf(turn, model, tools.newId),
      stream: eventsOf,
      upstream: () => ({ authorize: (key) => ({ "x-api-key": key }), read: readMessagesAnswer }),
    });
  },
};

const errorTypes: Record<number, string> = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  529: "overloaded_error",
};
const errorType = (status: number): string =>
  errorTypes[status] ?? (status < 500 ? "invalid_request_error" : "api_error");

type Block =
  | { type: "thinking"; thinking: string; signature: string }
  | { type: "text"; text: string }
  | { type: "tool_use"; id: string; name: string; input: Record<string, unknown> };

function messageOf(turn: ModelTurn, model: string, newId: (kind: string) => string) {
  const { thinking, text, calls = [], usage = {} } = turn;
  const content: Block[] = [
    ...(thinking === undefined ? [] : [{ type: "thinking" as const, thinking, signature: "playbook" }]),
    ...(text === undefined ? [] : [{ type: "text" as const, text }]),
    ...calls.map(({ id = newId("toolu"), tool, input = {} }) => ({
      type: "tool_use" as const,
      id,
      name: tool,
      input,
    })),
  ];
  return {
    id: newId("msg"),
    type: "message",
    role: "assistant",
    model,
    content,
    stop_reason: calls.length > 0 ? "tool_use" : "end_turn",
    stop_sequence: null,
    usage: {
      input_tokens: usage.input_tokens ?? 10,
      output_tokens: usage.output_tokens ?? 5,
      cache_read_input_tokens: usage.cache_read_tokens ?? 0,
      cache_creation_input_tokens: usage.cache_write_tokens ?? 0,
    },
  };
}

/** The message as server-sent events. */
function eventsOf(message: ReturnType<typeof messageOf>): string[] {
  const { content, stop_reason, stop_sequence, usage } = message;
  const opening = {
    ...message,
    content: [],
    stop_reason: null,
    usage: { ...usage, output_tokens: 0 },
  };
  return [
    event("message_start", { message: opening }),
    ...content.flatMap((block, index) => [
      event("content_block_start", { index, content_block: emptied(block) }),
      ...deltasOf(block).map((delta) => event("content_block_delta", { index, delta })),
      event("content_block_stop", { index }),
    ]),
    event("message_delta", {
      delta: { stop_reason, stop_sequence },
      usage: { output_tokens: usage.output_tokens },
    }),
    event("message_stop", {}),
  ];
}

const event = (type: string, data: object): string => serverEvent({ type, ...data }, type);

function emptied(block: Block): object {
  if (block.type === "text") return { ...block, text: "" };
  return block.type === "thinking" ? { ...block, thinking: "", signature: "" } : { ...block, input: {} };
}

function deltasOf(block: Block): object[] {
  if (block.type === "text") return [{ type: "text_delta", text: block.text }];
  if (block.type === "tool_use") {
    return [{ type: "input_json_delta", partial_json: JSON.stringify(block.input) }];
  }
  return [
    { type: "thinking_delta", thinking: block.thinking },
    { type: "signature_delta", signature: block.signature },
  ];
}
