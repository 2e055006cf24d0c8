import type { CoverageCount } from "../../../machines/model/coverage.ts";

/** How many of these ran at all. */
export const countOf = (hits: readonly number[]): CoverageCount => ({
  covered: hits.filter((hit) => hit > 0).length,
  total: hits.length,
});
