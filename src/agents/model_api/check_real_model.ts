/** Real models as users name them, checked before anything is asked of one. */
import type { TokenPrices } from "../../../machines/model/budget.ts";
import type { RealModel } from "../../../machines/model/prompt_agent.ts";
import { errorMessage } from "../../core/errors.ts";
import { definedOnly } from "../../core/values.ts";
import { readEnv } from "../../platform/host.ts";
import { openUpstream } from "./upstream.ts";

export interface NamedModel {
  /** Address of its API. */
  upstream: string;
  /** Name of the variable of PTH's environment that holds the key. */
  upstreamKey?: string;
  model?: string;
  budgetTokens?: number;
  budgetCost?: number;
  prices?: TokenPrices;
}

/** Names of these values where the user gives them, for the problems. */
export type ModelNames = Record<"upstream" | "upstreamKey" | "budgetCost" | "prices", string>;

/** @returns the model, and everything that is wrong with it; a key's own value is in none of the problems */
export function checkRealModel(
  named: NamedModel,
  names: ModelNames,
): { real: RealModel; problems: string[] } {
  const { upstream: url, upstreamKey: key, model, budgetTokens: tokens, budgetCost: cost, prices } = named;
  const budget = tokens === undefined && cost === undefined
    ? undefined
    : definedOnly({ tokens, cost, prices });
  return {
    real: { upstream: { url, ...definedOnly({ key }) }, ...definedOnly({ model, budget }) },
    problems: [...addressProblems(url, key, names), ...budgetProblems(cost, prices, names)],
  };
}

function addressProblems(url: string, key: string | undefined, names: ModelNames): string[] {
  try {
    openUpstream(url);
  } catch (error) {
    return [`${names.upstream}: ${errorMessage(error)}`];
  }
  const { hostname } = new URL(url);
  if (key === undefined) {
    return /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
      ? []
      : [`${names.upstreamKey}: name the environment variable that holds the key of ${hostname}`];
  }
  // What is given in place of a name may be the key.
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(key)) {
    return [`${names.upstreamKey} expects the name of an environment variable, not the key itself`];
  }
  return (readEnv(key) ?? "").trim() === ""
    ? [`${names.upstreamKey}: ${key} is not set in the environment`]
    : [];
}

function budgetProblems(
  cost: number | undefined,
  prices: TokenPrices | undefined,
  names: ModelNames,
): string[] {
  if (cost === undefined) return [];
  const { budgetCost } = names;
  if (prices === undefined) {
    return [`${budgetCost} cannot be counted without prices: ${names.prices} for a million tokens`];
  }
  return prices.input === 0 && prices.output === 0
    ? [`${budgetCost} cannot be counted with prices of 0`]
    : [];
}
