/** Answers of OpenAI's Chat Completions API, whole or streamed, read into turns. */
import { isObject, jsonIn } from "../../core/values.ts";
import { AnswerParts, eventData, failureText, isEventText, uncached } from "./answer_parts.ts";
import { openaiText } from "./openai_values.ts";
import type { ReadAnswer } from "./upstream.ts";

type Value = Record<string, unknown>;

export function readChatAnswer(text: string): ReadAnswer | undefined {
  const parts = new AnswerParts();
  if (isEventText(text)) {
    const chunks = eventData(text);
    if (chunks === undefined) return undefined;
    if (chunks.length > 0 && !chunks.some(({ choices }) => Array.isArray(choices))) return undefined;
    readMessage(joined(chunks, parts), parts);
    if (/^data: ?\[DONE\]/m.test(text)) parts.ended = true;
    return parts.read();
  }
  const completion = jsonIn(text);
  const [choice] = isObject(completion) && Array.isArray(completion.choices) ? completion.choices : [];
  if (!isObject(completion) || !isObject(choice) || !isObject(choice.message)) return undefined;
  readMessage(choice.message, parts);
  readReason(choice.finish_reason, parts);
  readUsage(completion.usage, parts);
  parts.ended = true;
  return parts.read();
}

/** Chunks as the message that they are of. */
function joined(chunks: readonly Value[], parts: AnswerParts): Value {
  const message: Record<string, string> = {};
  const calls: { id?: unknown; name: string; input: string }[] = [];
  for (const { choices, usage, error } of chunks) {
    readUsage(usage, parts);
    if (error !== undefined && error !== null) {
      parts.note(`the answer ended with an error: ${failureText(error)}`);
    }
    const [choice] = Array.isArray(choices) ? choices.filter(isObject) : [];
    if (choice === undefined) continue;
    if (typeof choice.finish_reason === "string") {
      readReason(choice.finish_reason, parts);
      parts.ended = true;
    }
    if (!isObject(choice.delta)) continue;
    for (const key of ["content", "refusal", "reasoning_content", "reasoning"]) {
      const piece = choice.delta[key];
      if (typeof piece === "string") message[key] = `${message[key] ?? ""}${piece}`;
    }
    const { tool_calls: pieces } = choice.delta;
    for (const [at, piece] of (Array.isArray(pieces) ? pieces.filter(isObject) : []).entries()) {
      const index = Number.isSafeInteger(piece.index) ? Number(piece.index) : at;
      if (index < 0 || index > mostCalls) continue;
      const call = calls[index] ??= { name: "", input: "" };
      if (typeof piece.id === "string" && piece.id !== "") call.id = piece.id;
      const made = isObject(piece.function) ? piece.function : {};
      if (typeof made.name === "string") call.name += made.name;
      if (typeof made.arguments === "string") call.input += made.arguments;
    }
  }
  return {
    ...message,
    tool_calls: calls.filter(isObject).map(({ id, name, input }) => ({
      id,
      function: { name, arguments: input },
    })),
  };
}

const mostCalls = 1000;

function readMessage({ content, refusal, tool_calls: calls, ...rest }: Value, parts: AnswerParts): void {
  parts.thought(rest.reasoning_content ?? rest.reasoning);
  parts.text(openaiText(content));
  parts.text(refusal);
  for (const { id, function: made, custom } of Array.isArray(calls) ? calls.filter(isObject) : []) {
    const called = isObject(made) ? made : isObject(custom) ? custom : {};
    parts.call({
      id: typeof id === "string" ? id : undefined,
      tool: String(called.name ?? ""),
      input: isObject(made) ? made.arguments : { input: called.input },
    });
  }
}

const usualEnds = ["stop", "tool_calls", "function_call", null, undefined];

function readReason(reason: unknown, parts: AnswerParts): void {
  if (!usualEnds.includes(reason as string)) parts.note(`the finish reason ${reason} is left out`);
}

function readUsage(usage: unknown, parts: AnswerParts): void {
  if (!isObject(usage)) return;
  const details = isObject(usage.prompt_tokens_details) ? usage.prompt_tokens_details : {};
  parts.used({
    input_tokens: uncached(usage.prompt_tokens, details.cached_tokens),
    output_tokens: usage.completion_tokens,
    cache_read_tokens: details.cached_tokens || undefined,
  });
}
