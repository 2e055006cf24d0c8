/** Anthropic's Messages API: `POST /v1/messages`, streaming and not, and `/v1/messages/count_tokens`. */
import type { Turn } from "../../../machines/model/playbook.ts";
import { errorMessage } from "../../core/errors.ts";
import type { HttpReply } from "../../platform/http_server.ts";
import type { ModelAnswer, ModelApi } from "./model_api.ts";
import { readMessagesRequest } from "./read_messages_request.ts";
import { brokenStream } from "./broken_stream.ts";

const messagesPath = "/v1/messages";
const countPath = `${messagesPath}/count_tokens`;

export const anthropicMessages: ModelApi = {
  name: "Anthropic Messages",
  async handle(request, answer, { signal, newId }) {
    const { pathname } = new URL(request.path, "http://loopback");
    if (request.method !== "POST" || (pathname !== messagesPath && pathname !== countPath)) return undefined;
    let text: string;
    try {
      text = await request.text();
    } catch (error) {
      return failure(413, errorMessage(error));
    }
    const read = readMessagesRequest(text, request.headers["x-claude-code-agent-id"]);
    if ("problem" in read) return failure(400, read.problem);
    if (pathname === countPath) {
      return json(200, { input_tokens: Math.ceil(text.length / charactersPerToken) });
    }
    const model = read.request;
    return replyOf(await answer(model, signal), model.model, model.stream, newId);
  },
};

/** Texts in English come to about so many. */
const charactersPerToken = 4;

const errorTypes: Record<number, string> = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  529: "overloaded_error",
};

const json = (status: number, body: object, headers: Record<string, string> = {}): HttpReply => ({
  status,
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(body),
});

const failure = (status: number, message: string, headers: Record<string, string> = {}): HttpReply =>
  json(status, {
    type: "error",
    error: { type: errorTypes[status] ?? (status < 500 ? "invalid_request_error" : "api_error"), message },
  }, headers);

function replyOf(
  answer: ModelAnswer,
  model: string,
  streaming: boolean,
  newId: (kind: string) => string,
): HttpReply {
  // Clients of the vendor's ask again unless they are told not to.
  if ("refused" in answer) return failure(400, answer.refused, { "x-should-retry": "false" });
  const { turn } = answer;
  const { status, message = "scripted error", retry_after, stream } = turn.error ?? {};
  if (status !== undefined) {
    return failure(status, message, retry_after === undefined ? {} : { "retry-after": String(retry_after) });
  }
  const whole = messageOf(turn, model, newId);
  const [parts, type] = streaming
    ? [eventsOf(whole), "text/event-stream"]
    : [[JSON.stringify(whole)], "application/json"];
  const body = stream === undefined ? parts.join("") : brokenStream(parts, stream);
  return { status: 200, headers: { "content-type": type, "cache-control": "no-cache" }, body };
}

type Block =
  | { type: "thinking"; thinking: string; signature: string }
  | { type: "text"; text: string }
  | { type: "tool_use"; id: string; name: string; input: Record<string, unknown> };

function messageOf(turn: Turn, model: string, newId: (kind: string) => string) {
  const { thinking, text, calls = [], usage = {} } = turn;
  const content: Block[] = [
    ...(thinking === undefined ? [] : [{ type: "thinking" as const, thinking, signature: "playbook" }]),
    ...(text === undefined ? [] : [{ type: "text" as const, text }]),
    ...calls.map(({ tool, input = {} }) => ({
      type: "tool_use" as const,
      id: newId("toolu"),
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

const event = (type: string, data: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;

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
