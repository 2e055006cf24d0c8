/** `--upstream`, `--upstream-key` and the budget: the real model that an agent asks. */
import type { Command } from "commander";
import type { Budget } from "../../../machines/model/budget.ts";
import type { RealModel } from "../../../machines/model/prompt_agent.ts";
import { openUpstream } from "../../agents/model_api/upstream.ts";
import { errorMessage } from "../../core/errors.ts";
import { readEnv } from "../../platform/host.ts";
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

/** Reads and checks; undefined where no real model was asked for. Everything that is wrong is added to the problems. */
export function readRealModel(options: Record<string, unknown>, problems: Problems): RealModel | undefined {
  const url = textValue(options.upstream);
  const model = textValue(options.model);
  const budget = readBudget(options, problems);
  if (url === undefined) {
    for (const option of modelOptions.slice(1)) {
      const name = option.replaceAll(/-[a-z]/g, ([, letter]) => letter!.toUpperCase());
      if (options[name] !== undefined) {
        problems.add(`--${option} is for a real model: name its address with --upstream`);
      }
    }
    return undefined;
  }
  try {
    openUpstream(url);
  } catch (error) {
    problems.add(`--upstream: ${errorMessage(error)}`);
    return undefined;
  }
  const key = readKeyName(options, new URL(url), problems);
  return {
    upstream: { url, ...(key === undefined ? {} : { key }) },
    ...(model === undefined ? {} : { model }),
    ...(budget === undefined ? {} : { budget }),
  };
}

/** The key's own value is never named: one that is given in place of the variable may be a key. */
function readKeyName(
  options: Record<string, unknown>,
  { hostname }: URL,
  problems: Problems,
): string | undefined {
  const key = textValue(options.upstreamKey);
  if (key === undefined) {
    if (!/^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)) {
      problems.add(`--upstream-key: name the environment variable that holds the key of ${hostname}`);
    }
    return undefined;
  }
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(key)) {
    problems.add("--upstream-key expects the name of an environment variable, not the key itself");
  } else if ((readEnv(key) ?? "").trim() === "") {
    problems.add(`--upstream-key: ${key} is not set in the environment`);
  }
  return key;
}

function readBudget(options: Record<string, unknown>, problems: Problems): Budget | undefined {
  const tokens = positiveOption("--budget-tokens", options.budgetTokens, problems, "whole number");
  const cost = positiveOption("--budget-cost", options.budgetCost, problems, "number");
  const text = textValue(options.prices);
  const [, input, output] = /^(\d+(?:\.\d+)?)\/(\d+(?:\.\d+)?)$/.exec(text ?? "") ?? [];
  if (text !== undefined && input === undefined) {
    problems.add(`--prices expects <input>/<output> for a million tokens, e.g. 3/15, not "${text}"`);
  }
  if (cost !== undefined && text === undefined) {
    problems.add(
      "--budget-cost cannot be counted without prices: --prices <input>/<output> for a million tokens",
    );
  }
  if (cost !== undefined && input !== undefined && Number(input) === 0 && Number(output) === 0) {
    problems.add("--budget-cost cannot be counted with prices of 0");
  }
  if (tokens === undefined && cost === undefined) return undefined;
  return {
    ...(tokens === undefined ? {} : { tokens }),
    ...(cost === undefined ? {} : { cost }),
    ...(input === undefined ? {} : { prices: { input: Number(input), output: Number(output) } }),
  };
}
