/** Keeps what a model pays for PTH's definitions and answers from growing unseen. */
import { loadTools } from "../gen/load_tools.ts";
import { type DefinitionTokens, definitionTokens } from "../tokens/definition_tokens.ts";
import { median, type TypicalAnswer, typicalAnswers } from "../tokens/typical_answers.ts";
import { toolsetOf, usualToolsets } from "../../src/tools/toolset.ts";
import { defineCheck } from "./check.ts";

/** Tokens (o200k_base) at most. */
export interface Budgets {
  /** All definitions that are listed unless a toolset is named, as text clients get them. */
  definitions: number;
  /** One definition. */
  definition: number;
  answer: number;
  /** Median of the typical answers. */
  medianAnswer: number;
}

const budgets: Budgets = { definitions: 13_200, definition: 1_500, answer: 3_999, medianAnswer: 399 };

/** Tokens of all definitions that are listed by name alone: tools that run agents, hooks, installs and a plugin's own tests. */
const namedDefinitions = 3_000;

export default defineCheck({
  name: "definitions and answers keep within their budgets of tokens",
  async run(tree) {
    const tools = await loadTools(tree.root);
    const usual = tools.filter((tool) => usualToolsets.includes(toolsetOf(tool)));
    const named = tools.filter((tool) => !usual.includes(tool));
    return [
      ...budgetProblems(definitionTokens(usual), await typicalAnswers(tools), budgets),
      ...budgetProblems(definitionTokens(named), [], { ...budgets, definitions: namedDefinitions }),
    ];
  },
});

export function budgetProblems(
  definitions: readonly DefinitionTokens[],
  answers: readonly TypicalAnswer[],
  { definitions: most, definition, answer, medianAnswer }: Budgets,
): string[] {
  const all = definitions.reduce((sum, { text }) => sum + text, 0);
  const largest = [...definitions].sort((a, b) => b.text - a.text).slice(0, 3).map(({ name }) => name);
  const middle = median(answers.map(({ tokens }) => tokens));
  return [
    ...(all > most
      ? [
        `src/tools: the definitions take ${all} tokens, more than ${most}; shorten descriptions, first of ${
          largest.join(", ")
        }, or raise the budget in scripts/checks/token_budgets.ts with the reason`,
      ]
      : []),
    ...definitions.filter(({ text }) => text > definition).map(({ name, text }) =>
      `${name}: its definition takes ${text} tokens, more than ${definition}; shorten its descriptions`
    ),
    ...answers.filter(({ tokens }) => tokens > answer).map(({ tool, failures, tokens }) =>
      `${tool}: its answer with ${failures} failures takes ${tokens} tokens, more than ${answer}; group or cut it, and leave the rest to detail`
    ),
    ...(middle > medianAnswer
      ? [
        `docs/tokens.md: the typical answers have a median of ${middle} tokens, more than ${medianAnswer}; shorten texts`,
      ]
      : []),
  ];
}
