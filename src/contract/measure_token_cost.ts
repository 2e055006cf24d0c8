/** What a server costs a model's context. */
import { Buffer } from "node:buffer";
import type { TokenCost } from "../../machines/model/contract.ts";
import type { ToolDefinition } from "../../machines/model/plugin.ts";
import { tokenCounter, tokenizerName } from "../core/token_counter.ts";

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
