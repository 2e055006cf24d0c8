/** `--upstream`, `--upstream-key` and the budget: the real model that an agent asks. */
import type { Command } from "commander";
import type { RealModel } from "../../../machines/model/prompt_agent.ts";
import { checkRealModel } from "../../agents/model_api/check_real_model.ts";
import { definedOnly } from "../../core/values.ts";
import { positiveOption, textValue } from "./option_values.ts";
import type { Problems } from "./problems.ts";

/** Options that only a real model has. */
export const modelOptions = ["upstream", "model", "upstream-key", "budget-tokens", "budget-cost", "prices"];

export const addModelOptions = (command: Command): Command =>
  command
    .option("--upstream <url>", "address of a real model API, in place of a playbook")
    .option("--upstream-key <variable>", "environment variable that holds the key of that API")
    .option("--model <name>", "model that the agent asks there for (default: the agent's own)")
    .option("--budget-tokens <number>", "stop asking the model after so many tokens")
    .option("--budget-cost <amount>", "stop asking the model after so much money; needs --prices")
    .option("--prices <input/output>", "prices of a million tokens, e.g. 3/15");

const names = {
  upstream: "--upstream",
  upstreamKey: "--upstream-key",
  budgetCost: "--budget-cost",
  prices: "--prices <input>/<output>",
};

/** Reads and checks; undefined where no real model was asked for. Everything that is wrong is added to the problems. */
export function readRealModel(options: Record<string, unknown>, problems: Problems): RealModel | undefined {
  const upstream = textValue(options.upstream);
  const budgetTokens = positiveOption("--budget-tokens", options.budgetTokens, problems, "whole number");
  const budgetCost = positiveOption("--budget-cost", options.budgetCost, problems, "number");
  const text = textValue(options.prices);
  const [, input, output] = /^(\d+(?:\.\d+)?)\/(\d+(?:\.\d+)?)$/.exec(text ?? "") ?? [];
  const prices = input === undefined ? undefined : { input: Number(input), output: Number(output) };
  const wrongPrices = text !== undefined && prices === undefined;
  if (wrongPrices) {
    problems.add(`--prices expects <input>/<output> for a million tokens, e.g. 3/15, not "${text}"`);
  }
  if (upstream === undefined) {
    for (const option of modelOptions.slice(1)) {
      const name = option.replaceAll(/-[a-z]/g, ([, letter]) => letter!.toUpperCase());
      if (options[name] !== undefined) {
        problems.add(`--${option} is for a real model: name its address with --upstream`);
      }
    }
    return undefined;
  }
  const { real, problems: found } = checkRealModel({
    upstream,
    ...definedOnly({
      upstreamKey: textValue(options.upstreamKey),
      model: textValue(options.model),
      budgetTokens,
      budgetCost: wrongPrices ? undefined : budgetCost,
      prices,
    }),
  }, names);
  for (const problem of found) problems.add(problem);
  return real;
}
