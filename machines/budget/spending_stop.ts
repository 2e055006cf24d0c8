/** Tells why a real model is asked no more. */
import type { Budget, Spending } from "../model/budget.ts";
import type { Usage } from "../model/playbook.ts";
import { overBudget, spentWith } from "./spending.ts";

interface SpendingSession {
  run: { readonly budget?: Budget };
  played: { spent: Spending };
}

/** Reason with one more answer of it; undefined: there is none. */
export const spendingStop = (
  { run: { budget }, played: { spent } }: SpendingSession,
  usage: Usage | undefined,
): string | undefined => {
  if (budget === undefined) return undefined;
  return usage === undefined
    ? "the budget cannot be kept: the model does not say what its answer has cost"
    : overBudget(spentWith(spent, usage, budget), budget);
};
