import t from "tap";
import tokenBudgets, { budgetProblems } from "../../../scripts/checks/token_budgets.ts";
import { typicalAnswers } from "../../../scripts/tokens/typical_answers.ts";
import { registry } from "../../../src/tools/_registry.ts";

const budgets = { definitions: 100, definition: 60, answer: 40, medianAnswer: 10 };
const definition = (name: string, text: number) => ({ name, category: "testing", text, structured: text });
const answer = (tokens: number) => ({ tool: "pth_a", failures: 60 as const, tokens });

t.test("growth beyond a budget is told with its place and what to do", (t) => {
  const found = budgetProblems([definition("pth_a", 70), definition("pth_b", 40)], [
    answer(41),
    answer(11),
    answer(9),
  ], budgets);
  t.match(found, [
    /^src\/tools: the definitions take 110 tokens, more than 100; shorten descriptions, first of pth_a, pth_b/,
    /^pth_a: its definition takes 70 tokens, more than 60; shorten/,
    /^pth_a: its answer with 60 failures takes 41 tokens, more than 40; group or cut it/,
    /^docs\/tokens\.md: the typical answers have a median of 11 tokens, more than 10/,
  ]);
  t.equal(found.length, 4);
  t.strictSame(budgetProblems([definition("pth_a", 60)], [answer(10)], budgets), []);
  t.end();
});

t.test("answers are those of the tools: one that does not exist is told", async (t) => {
  await t.rejects(typicalAnswers(registry.filter(({ name }) => name !== "pth_load_plugin")), {
    message: /^Cannot ask pth_load_plugin: there is no such tool; see scripts\//,
  });
  t.match(tokenBudgets.name, /budgets/);
});
