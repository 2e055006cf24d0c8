/** Answers of Anthropic's Messages API, whole or streamed, read into turns. */
import { isObject, jsonIn } from "../../core/values.ts";
import { AnswerParts, eventData, failureText, isEventText } from "./answer_parts.ts";
import type { ReadAnswer } from "./upstream.ts";

type Value = Record<string, unknown>;

export function readMessagesAnswer(text: string): ReadAnswer | undefined {
  const parts = new AnswerParts();
  if (isEventText(text)) {
    const events = eventData(text);
    if (events?.some(({ type }) => type === "message_start") !== true) return undefined;
    readEvents(events, parts);
  } else {
    const message = jsonIn(text);
    if (!isObject(message) || message.type !== "message" || !Array.isArray(message.content)) return undefined;
    for (const block of message.content.filter(isObject)) readBlock(block, parts);
    readEnd(message, parts);
    parts.ended = true;
  }
  return parts.read();
}

function readEvents(events: readonly Value[], parts: AnswerParts): void {
  const blocks = new Map<unknown, Value>();
  for (const { type, index, message, content_block: opened, delta, error, ...rest } of events) {
    if (type === "message_start" && isObject(message)) readUsage(message.usage, parts);
    else if (type === "content_block_start" && isObject(opened)) blocks.set(index, { ...opened, json: "" });
    else if (type === "content_block_delta" && isObject(delta)) {
      const block = blocks.get(index);
      if (block !== undefined) addDelta(block, delta);
    } else if (type === "message_delta") {
      readEnd({ ...(isObject(delta) ? delta : {}), usage: rest.usage }, parts);
    } else if (type === "message_stop") parts.ended = true;
    else if (type === "error") parts.note(`the answer ended with an error: ${failureText(error)}`);
  }
  for (const [, { json, ...block }] of [...blocks].sort(([a], [b]) => Number(a) - Number(b))) {
    readBlock(json === "" ? block : { ...block, input: json }, parts);
  }
}

function addDelta(block: Value, { type, text, thinking, partial_json: json }: Value): void {
  if (type === "text_delta") block.text = `${block.text ?? ""}${text}`;
  else if (type === "thinking_delta") block.thinking = `${block.thinking ?? ""}${thinking}`;
  else if (type === "input_json_delta") block.json = `${block.json}${json}`;
}

function readBlock({ type, text, thinking, id, name, input }: Value, parts: AnswerParts): void {
  if (type === "text") parts.text(text);
  else if (type === "thinking") parts.thought(thinking);
  else if (type === "tool_use") {
    parts.call({ id: typeof id === "string" ? id : undefined, tool: String(name), input });
  } else parts.note(`a block ${type} is left out`);
}

const usualEnds = ["end_turn", "tool_use", "stop_sequence", null, undefined];

function readEnd({ stop_reason: reason, usage }: Value, parts: AnswerParts): void {
  if (!usualEnds.includes(reason as string)) parts.note(`the stop reason ${reason} is left out`);
  readUsage(usage, parts);
}

function readUsage(usage: unknown, parts: AnswerParts): void {
  if (!isObject(usage)) return;
  parts.used({
    input_tokens: usage.input_tokens,
    output_tokens: usage.output_tokens,
    cache_read_tokens: usage.cache_read_input_tokens || undefined,
    cache_write_tokens: usage.cache_creation_input_tokens || undefined,
  });
}
