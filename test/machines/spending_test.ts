import t from "tap";
import {
  addSpending,
  budgetLeft,
  nothingSpent,
  overBudget,
  spentWith,
  withinBudget,
} from "../../machines/budget/spending.ts";
import { planned } from "./suite_stage.ts";

const prices = { input: 3, output: 15 };

t.test("all tokens of an answer count, and what a cache writes counts twice in money", (t) => {
  const usage = { input_tokens: 100, output_tokens: 10, cache_read_tokens: 1000, cache_write_tokens: 50 };
  const spent = spentWith(nothingSpent, usage, { prices });
  t.equal(spent.tokens, 1160);
  t.ok(Math.abs(spent.cost - (1200 * 3 + 10 * 15) / 1e6) < 1e-12);
  t.strictSame(spentWith(spent, {}, { prices }), spent);
  t.strictSame(addSpending({ tokens: 1, cost: 2 }), { tokens: 1, cost: 2 });
  t.end();
});

t.test("a budget is over at its limit, and later tests have its rest alone", (t) => {
  const spent = { tokens: 90, cost: 0.5 };
  t.equal(overBudget(spent, { tokens: 100, cost: 1 }), undefined);
  t.match(overBudget(spent, { tokens: 90 }), /90 of 90 tokens/);
  t.match(overBudget(spent, { cost: 0.4 }), /0\.5000 of 0\.4/);
  t.strictSame(budgetLeft({ tokens: 100, cost: 1, prices }, spent), { tokens: 10, cost: 0.5, prices });
  const work = {
    agent: "claude",
    prompt: "p",
    playbook: { lanes: [] },
    timeoutMs: 1,
    budget: { tokens: 100 },
  };
  const test = { ...planned("a"), agent: { work, judge: work, startsServer: true } };
  t.match(withinBudget(test, spent), {
    agent: { work: { budget: { tokens: 10 } }, judge: { budget: { tokens: 10 } } },
  });
  t.match(withinBudget(test, { tokens: 100, cost: 0 }), { agent: { problem: /the budget is spent/ } });
  t.end();
});
