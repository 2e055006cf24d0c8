/** Counts what a model's answers have cost, and compares it with a budget. */
import type { Budget, Spending } from "../model/budget.ts";
import type { Usage } from "../model/playbook.ts";
import type { PlannedTest } from "../model/observation.ts";

export const nothingSpent: Spending = { tokens: 0, cost: 0 };

/** Writing to a cache costs up to twice the price of input, where it is sold by itself; reading counts as input. */
const cacheWriteFactor = 2;
const million = 1_000_000;

/** With one more answer. */
export function spentWith(spent: Spending, usage: Usage, { prices }: Budget = {}): Spending {
  const { input_tokens: input = 0, output_tokens: output = 0 } = usage;
  const { cache_read_tokens: read = 0, cache_write_tokens: written = 0 } = usage;
  const cost = prices === undefined
    ? 0
    : ((input + read + written * cacheWriteFactor) * prices.input + output * prices.output) / million;
  return { tokens: spent.tokens + input + output + read + written, cost: spent.cost + cost };
}

export const addSpending = (spent: Spending, more: Spending = nothingSpent): Spending => ({
  tokens: spent.tokens + more.tokens,
  cost: spent.cost + more.cost,
});

/** Reason why no more may be asked; undefined while there is some left. */
export function overBudget(spent: Spending, { tokens, cost }: Budget = {}): string | undefined {
  if (tokens !== undefined && spent.tokens >= tokens) {
    return `the budget is spent: ${spent.tokens} of ${tokens} tokens`;
  }
  if (cost !== undefined && spent.cost >= cost) {
    return `the budget is spent: ${spent.cost.toFixed(4)} of ${cost}`;
  }
  return undefined;
}

/** The rest of a budget. */
export const budgetLeft = ({ tokens, cost, ...budget }: Budget, spent: Spending): Budget => ({
  ...budget,
  ...(tokens === undefined ? {} : { tokens: tokens - spent.tokens }),
  ...(cost === undefined ? {} : { cost: cost - spent.cost }),
});

/** The test with what earlier ones have left of the budget; none is left: it has no session. */
export function withinBudget(planned: PlannedTest, spent: Spending): PlannedTest {
  const { agent } = planned;
  if (agent === undefined || "problem" in agent || agent.work.budget === undefined) return planned;
  const problem = overBudget(spent, agent.work.budget);
  if (problem !== undefined) return { ...planned, agent: { problem } };
  const budget = budgetLeft(agent.work.budget, spent);
  const { judge } = agent;
  return {
    ...planned,
    agent: {
      ...agent,
      work: { ...agent.work, budget },
      ...(judge === undefined ? {} : { judge: { ...judge, budget } }),
    },
  };
}
