/** Budgets of sessions with a real model, and what was spent of them. */

/** Limit in tokens, in money, or both; `cost` needs prices. */
export interface Budget {
  tokens?: number;
  /** In the currency of the prices. */
  cost?: number;
  prices?: TokenPrices;
}

/** Prices of a million tokens. */
export interface TokenPrices {
  input: number;
  output: number;
}

export interface Spending {
  tokens: number;
  /** 0 without prices. */
  cost: number;
}
