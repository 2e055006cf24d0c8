/** The request for a fixture's tests, with what fixtures before it have left. */
import { addSpending, budgetLeft, nothingSpent, overBudget } from "../../../machines/budget/spending.ts";
import type { AgentFixture } from "../../../machines/model/agent_fixture.ts";
import type { FixtureRunRequest } from "../../../machines/model/fixture_run.ts";
import type { RealModel } from "../../../machines/model/prompt_agent.ts";
import type { RanFixture } from "./ran_fixture.ts";

interface RunRules {
  programs: NonNullable<FixtureRunRequest["programs"]>;
  retries?: number | undefined;
  /** Number of tests of all fixtures that fail until no more run. */
  bail?: number | undefined;
  /** Model for tests without a playbook; its budget is that of all fixtures. */
  real?: RealModel | undefined;
}

/** @returns the request, with the rest of the failures and of the budget; or why the fixture does not run */
export function fixtureRequest(
  fixture: AgentFixture,
  { programs, retries = 0, bail, real }: RunRules,
  before: readonly RanFixture[],
): FixtureRunRequest | { reason: string } {
  const earlier = before.flatMap(({ results }) => results);
  const failed = earlier.filter(({ judgement }) => judgement.status !== "pass").length;
  const left = bail === undefined ? undefined : bail - failed;
  if (left !== undefined && left <= 0) return { reason: `the run was to stop after ${bail} failed` };
  const spent = earlier.reduce((sum, { session }) => addSpending(sum, session?.spent), nothingSpent);
  const over = overBudget(spent, real?.budget);
  if (over !== undefined) return { reason: over };
  const budget = real?.budget === undefined ? {} : { budget: budgetLeft(real.budget, spent) };
  return {
    fixture: { name: fixture.name },
    tests: fixture.tests,
    programs,
    retries,
    ...(real === undefined ? {} : { real: { ...real, ...budget } }),
    ...(left === undefined ? {} : { bail: left }),
  };
}
