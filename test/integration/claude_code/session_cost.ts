/** Cost of a conversation in the model's context, in tokens as `src/contract/measure_token_cost.ts` counts them. */
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { type ModelRequest, seenIn, textOf } from "./seen.ts";

export interface AnswerCost {
  tool: string;
  tokens: number;
  text: string;
}

export interface SessionCost {
  /** Costs in the order of the calls. */
  answers: AnswerCost[];
  median: number;
  max: number;
  /** Tokens of all answers together. */
  total: number;
  /** Tokens of the server's tool definitions, each when it was first offered. */
  definitions: number;
  /** Tokens new in each request after the first: calls, answers, what Claude Code adds, definitions. */
  added: number;
}

/** @param prefix of the names of the server's tools */
export function sessionCost(requests: readonly ModelRequest[], prefix: string): SessionCost {
  const answers = seenIn(requests.at(-1)!).answers.map(({ tool, text }) => ({
    tool: tool.replace(prefix, ""),
    tokens: countTokens(text),
    text,
  }));
  const own = answers.filter(({ tool }) => tool.startsWith("pth_"));
  const sorted = own.map(({ tokens }) => tokens).sort((a, b) => a - b);
  const known = new Set<string>();
  let definitions = 0;
  for (const tool of requests.flatMap(({ tools }) => tools)) {
    if (!tool.name.startsWith(prefix) || known.has(tool.name)) continue;
    known.add(tool.name);
    definitions += countTokens(JSON.stringify(tool));
  }
  const newMessages = requests.at(-1)!.messages.slice(requests[0]!.messages.length);
  const words = newMessages.map(({ content }) =>
    typeof content === "string"
      ? content
      : content.map((block) => block.input ? JSON.stringify(block.input) : textOf([block])).join("\n")
  );
  return {
    answers,
    median: sorted[Math.floor((sorted.length - 1) / 2)]!,
    max: sorted.at(-1)!,
    total: sorted.reduce((sum, tokens) => sum + tokens, 0),
    definitions,
    added: definitions + words.reduce((sum, text) => sum + countTokens(text), 0),
  };
}
