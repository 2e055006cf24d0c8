/** Answers of tools among captured JSON-RPC messages. */
import type { McpMessage } from "../../machines/model/detail.ts";
import { groupMessagesByCall } from "../testing/evidence/group_messages_by_call.ts";
import { isObject } from "../core/values.ts";
import type { SeenAnswer } from "./measure_token_cost.ts";

/** Results of `tools/call`, errors of tools among them: a model pays for those, too. */
export function seenAnswers(messages: readonly McpMessage[]): SeenAnswer[] {
  return groupMessagesByCall(messages).flatMap(({ method, tool, messages }) => {
    if (method !== "tools/call" || tool === undefined) return [];
    const answer = messages.at(-1)?.message;
    return isObject(answer) && isObject(answer.result) ? [{ tool, text: textOf(answer.result) }] : [];
  });
}

/** Pictures and sound are no text, and cost otherwise than by their characters. */
function textOf({ content, structuredContent }: Record<string, unknown>): string {
  if (!Array.isArray(content)) return JSON.stringify(structuredContent ?? {});
  const parts = content.filter((part) => isObject(part) && part.type !== "image" && part.type !== "audio");
  return parts.map((part) => typeof part.text === "string" ? part.text : JSON.stringify(part)).join("\n");
}
