/** Gemini's API: `POST …/models/<model>:generateContent`, `:streamGenerateContent` and `:countTokens`. */
import type { ModelRequest } from "../playbook/model_request.ts";
import type { ModelApi } from "./model_api.ts";
import type { ModelTurn } from "./model_turn.ts";
import { readGeminiAnswer } from "./read_gemini_answer.ts";
import { readGeminiRequest } from "./read_gemini_request.ts";
import { replyToRequest, serverEvent } from "./reply_to_request.ts";

const address = /\/models\/([^/:]+):(generateContent|streamGenerateContent|countTokens)$/;

export const geminiContent: ModelApi = {
  name: "Gemini",
  async handle(http, answer, tools) {
    const { pathname, searchParams } = new URL(http.path, "http://loopback");
    const [, name, method] = address.exec(pathname) ?? [];
    if (http.method !== "POST" || name === undefined) return undefined;
    const stream = method === "streamGenerateContent";
    const events = searchParams.get("alt") === "sse";
    return await replyToRequest(http, answer, tools, {
      read: (body) => readGeminiRequest(body, { model: name, stream }),
      ...(method === "countTokens" ? { count: (totalTokens) => ({ totalTokens }) } : {}),
      failure,
      answer: (turn, request) => contentOf(turn, request, tools.newId),
      stream: (content) => {
        const chunks = chunksOf(content);
        return events ? chunks.map((chunk) => serverEvent(chunk)) : listOf(chunks);
      },
      upstream: () => ({ authorize: (key) => ({ "x-goog-api-key": key }), read: readGeminiAnswer }),
      ...(events ? {} : { streamType: "application/json" }),
    });
  },
};

const statuses: Record<number, string> = {
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  429: "RESOURCE_EXHAUSTED",
  503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED",
};

const failure = (code: number, message: string, retryAfter: number | undefined): object => ({
  error: {
    code,
    message,
    status: statuses[code] ?? (code < 500 ? "INVALID_ARGUMENT" : "INTERNAL"),
    ...(retryAfter === undefined ? {} : {
      details: [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: `${retryAfter}s` }],
    }),
  },
});

type Part =
  | { text: string; thought?: true }
  | { functionCall: { id: string; name: string; args: Record<string, unknown> } };

function contentOf(turn: ModelTurn, { model }: ModelRequest, newId: (kind: string) => string) {
  const { thinking, text, calls = [], usage = {} } = turn;
  const parts: Part[] = [
    ...(thinking === undefined ? [] : [{ text: thinking, thought: true as const }]),
    ...(text === undefined ? [] : [{ text }]),
    ...calls.map(({ id = newId("call"), tool, input = {} }) => ({
      functionCall: { id, name: tool, args: input },
    })),
  ];
  const { input_tokens = 10, output_tokens = 5, cache_read_tokens = 0, cache_write_tokens = 0 } = usage;
  const prompt = input_tokens + cache_read_tokens + cache_write_tokens;
  return {
    candidates: [{ content: { role: "model", parts }, finishReason: "STOP", index: 0 }],
    usageMetadata: {
      promptTokenCount: prompt,
      cachedContentTokenCount: cache_read_tokens,
      candidatesTokenCount: output_tokens,
      totalTokenCount: prompt + output_tokens,
    },
    modelVersion: model,
    responseId: newId("gemini"),
  };
}

/** A chunk for each part; the last one has the reason of the end, and the tokens. */
function chunksOf({ candidates: [whole], usageMetadata, ...head }: ReturnType<typeof contentOf>): object[] {
  const { content: { role, parts }, finishReason, index } = whole!;
  return [
    ...parts.map((part) => ({ candidates: [{ content: { role, parts: [part] }, index }], ...head })),
    {
      candidates: [{ content: { role, parts: [{ text: "" }] }, finishReason, index }],
      usageMetadata,
      ...head,
    },
  ];
}

/** A list of the chunks as one JSON text. */
const listOf = (chunks: readonly object[]): string[] => [
  "[",
  ...chunks.map((chunk, at) => `${at === 0 ? "" : ",\r\n"}${JSON.stringify(chunk)}`),
  "]",
];
