/** Answers of OpenAI's Responses API, whole or streamed, read into turns. */
import { isObject, jsonIn } from "../../core/values.ts";
import { AnswerParts, eventData, failureText, isEventText, uncached } from "./answer_parts.ts";
import { toolInGroup } from "./read_responses_request.ts";
import type { ReadAnswer } from "./upstream.ts";

type Value = Record<string, unknown>;

/** Answer with what later requests may continue it by. */
export interface ReadResponse extends ReadAnswer {
  id: string | undefined;
  items: Value[];
}

export function readResponsesAnswer(text: string): ReadResponse | undefined {
  const events = isEventText(text) ? eventData(text) : undefined;
  const response = events === undefined ? jsonIn(text) : responseOf(events);
  if (!isObject(response) || response.object !== "response") return undefined;
  const parts = new AnswerParts();
  const items = Array.isArray(response.output) ? response.output.filter(isObject) : [];
  for (const item of items) readItem(item, parts);
  readUsage(response.usage, parts);
  const { status, error, incomplete_details: details, id } = response;
  parts.ended = status === "completed" || status === "incomplete";
  if (status === "incomplete") {
    parts.note(`the reason of the end, ${isObject(details) ? details.reason : "unknown"}, is left out`);
  }
  if (error !== null && error !== undefined) {
    parts.note(`the answer ended with an error: ${failureText(error)}`);
  }
  return { ...parts.read(), id: typeof id === "string" ? id : undefined, items };
}

/** The response of a stream; one that was cut off has the items that were whole, and the text that came. */
function responseOf(events: readonly Value[]): Value | undefined {
  let response: Value | undefined;
  const items: Value[] = [];
  let text = "";
  for (const event of events) {
    if (isObject(event.response)) response = event.response;
    if (event.type === "response.output_item.done" && isObject(event.item)) {
      items.push(event.item);
      text = "";
    } else if (event.type === "response.output_text.delta") text += String(event.delta ?? "");
    else if (event.type === "error" && response !== undefined) response = { ...response, error: event };
  }
  if (response === undefined) return undefined;
  if (Array.isArray(response.output) && response.output.length > 0) return response;
  const rest = text === "" ? [] : [{ type: "message", content: [{ type: "output_text", text }] }];
  return { ...response, output: [...items, ...rest] };
}

function readItem(item: Value, parts: AnswerParts): void {
  const { type, content, summary, call_id: id, name, namespace, arguments: input } = item;
  const call = { id: typeof id === "string" ? id : undefined, tool: toolInGroup(namespace, name) };
  if (type === "message") {
    for (const part of Array.isArray(content) ? content.filter(isObject) : []) {
      parts.text(part.text ?? part.refusal);
    }
  } else if (type === "reasoning") {
    for (const part of Array.isArray(summary) ? summary.filter(isObject) : []) parts.thought(part.text);
  } else if (type === "function_call") parts.call({ ...call, input });
  else if (type === "custom_tool_call") parts.call({ ...call, input: { input: item.input } });
  else parts.note(`an item ${type} is left out`);
}

function readUsage(usage: unknown, parts: AnswerParts): void {
  if (!isObject(usage)) return;
  const details = isObject(usage.input_tokens_details) ? usage.input_tokens_details : {};
  parts.used({
    input_tokens: uncached(usage.input_tokens, details.cached_tokens),
    output_tokens: usage.output_tokens,
    cache_read_tokens: details.cached_tokens || undefined,
  });
}
