/** Answers of Gemini's API, whole or streamed (as events or as one list), read into turns. */
import { isObject, jsonIn } from "../../core/values.ts";
import { AnswerParts, eventData, failureText, isEventText, uncached } from "./answer_parts.ts";
import type { ReadAnswer } from "./upstream.ts";

type Value = Record<string, unknown>;

export function readGeminiAnswer(text: string): ReadAnswer | undefined {
  const chunks = isEventText(text) ? eventData(text) : listed(text);
  if (chunks?.some(isAnswer) !== true) return undefined;
  const parts = new AnswerParts();
  /** Pieces of a text that came one after the other. */
  let said = { thought: false, text: "" };
  const tell = () => {
    if (said.thought) parts.thought(said.text);
    else parts.text(said.text);
    said = { thought: false, text: "" };
  };
  for (const { candidates, usageMetadata: usage, promptFeedback: feedback, error } of chunks) {
    readUsage(usage, parts);
    if (isObject(feedback) && feedback.blockReason !== undefined) {
      parts.note(`the prompt was blocked: ${feedback.blockReason}`);
      parts.ended = true;
    }
    if (error !== undefined) parts.note(`the answer ended with an error: ${failureText(error)}`);
    const [candidate] = Array.isArray(candidates) ? candidates.filter(isObject) : [];
    if (candidate === undefined) continue;
    const { content, finishReason } = candidate;
    for (
      const part of isObject(content) && Array.isArray(content.parts) ? content.parts.filter(isObject) : []
    ) {
      const { text, thought, functionCall: call } = part;
      if (typeof text === "string") {
        if ((thought === true) !== said.thought) tell();
        said = { thought: thought === true, text: said.text + text };
      } else if (isObject(call)) {
        parts.call({
          id: typeof call.id === "string" ? call.id : undefined,
          tool: String(call.name),
          input: call.args,
        });
      } else parts.note(`a part ${Object.keys(part).join(", ")} is left out`);
    }
    if (typeof finishReason === "string") {
      parts.ended = true;
      if (finishReason !== "STOP") parts.note(`the finish reason ${finishReason} is left out`);
    }
  }
  tell();
  return parts.read();
}

const isAnswer = ({ candidates, promptFeedback }: Value): boolean =>
  Array.isArray(candidates) || isObject(promptFeedback);

/** One answer, or a list of its parts; of a list that was cut off, the parts that are whole. */
function listed(text: string): Value[] | undefined {
  const value = jsonIn(text);
  if (isObject(value)) return [value];
  if (Array.isArray(value)) return value.filter(isObject);
  if (!text.trimStart().startsWith("[")) return undefined;
  const cut = text.lastIndexOf("}\n,") >= 0 ? text.lastIndexOf("}\n,") : text.lastIndexOf("},");
  const rest = cut < 0 ? undefined : jsonIn(`${text.slice(0, cut + 1)}]`);
  return Array.isArray(rest) ? rest.filter(isObject) : undefined;
}

function readUsage(usage: unknown, parts: AnswerParts): void {
  if (!isObject(usage)) return;
  parts.used({
    input_tokens: uncached(usage.promptTokenCount, usage.cachedContentTokenCount),
    output_tokens: sumOf(usage.candidatesTokenCount, usage.thoughtsTokenCount),
    cache_read_tokens: usage.cachedContentTokenCount || undefined,
  });
}

/** Thoughts are not part of the count of the answer. */
const sumOf = (...counts: unknown[]): number | undefined => {
  const known = counts.filter((count) => typeof count === "number");
  return known.length === 0 ? undefined : known.reduce((sum, count) => sum + count, 0);
};
