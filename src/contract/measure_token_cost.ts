/** Measures how much of a model's context a server takes. */
import { Buffer } from "node:buffer";
import type { TokenCost } from "../../machines/model/contract.ts";
import type { ToolDefinition } from "../../machines/model/plugin.ts";
import { tokenCounter, tokenizerName } from "../core/token_counter.ts";
import type { McpMessage } from "../../machines/model/detail.ts";
import { groupMessagesByCall } from "../testing/evidence/group_messages_by_call.ts";
import { isObject } from "../core/values.ts";

/** Answers of each tool that are counted: a median needs no more. */
const mostAnswers = 50;
/** Characters of one answer that are counted; beyond them it is scaled up. */
const longestCounted = 200_000;

/** An answer as the model gets it: the text of its parts, or the JSON of what is no text. */
export interface SeenAnswer {
  tool: string;
  text: string;
}

/** Counts tools as `tools/list` writes them. */
export async function measureTokenCost(
  tools: readonly ToolDefinition[],
  instructions: string | undefined,
  answers: readonly SeenAnswer[],
): Promise<TokenCost> {
  const countTokens = await tokenCounter();
  const tokens = (text: string): number => {
    if (text.length <= longestCounted) return countTokens(text);
    return Math.round(countTokens(text.slice(0, longestCounted)) * (text.length / longestCounted));
  };
  const costOf = (text: string) => ({ bytes: Buffer.byteLength(text), tokens: tokens(text) });
  return {
    tokenizer: tokenizerName,
    list: costOf(JSON.stringify({ tools })),
    tools: tools.map((tool) => ({ tool: tool.name, ...costOf(JSON.stringify(tool)) })),
    answers: answersByTool(tools, answers).map(({ tool, texts }) => {
      const counts = texts.slice(-mostAnswers).map(tokens).sort((a, b) => a - b);
      const medianTokens = counts[Math.floor((counts.length - 1) / 2)]!;
      return { tool, calls: texts.length, medianTokens, maxTokens: counts.at(-1)! };
    }),
    ...(instructions === undefined ? {} : { instructions: costOf(instructions) }),
  };
}

/** In the order of the tools; tools of which no answer was seen are left out. */
function answersByTool(
  tools: readonly ToolDefinition[],
  answers: readonly SeenAnswer[],
): { tool: string; texts: string[] }[] {
  return tools.flatMap(({ name }) => {
    const texts = answers.filter(({ tool }) => tool === name).map(({ text }) => text);
    return texts.length === 0 ? [] : [{ tool: name, texts }];
  });
}

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
