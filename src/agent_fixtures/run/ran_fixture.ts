/** A fixture with what its tests came to, and what no verdict is about. */
import type { AgentFixture, AgentTest } from "../../../machines/model/agent_fixture.ts";
import type { AgentTestResult, FixtureRunResult } from "../../../machines/model/fixture_run.ts";
import type { PthError } from "../../core/errors.ts";
import { count } from "../../core/text.ts";

export interface RanFixture {
  fixture: AgentFixture;
  /** Results so far, also where something stopped it. */
  results: AgentTestResult[];
  notRun: FixtureRunResult["notRun"];
  /** Reason why it did not come to its end. */
  error?: PthError;
}

/** Ids that a line names. */
const mostNamed = 10;

/** Whether all tests passed but those that are to be skipped; a run without any result proves nothing. */
export const hasPassed = (ran: readonly RanFixture[]): boolean =>
  ran.some(({ results }) => results.length > 0) &&
  ran.every(({ fixture, results, error }) =>
    error === undefined && fixture.tests.every(({ id, skip }) => {
      const result = results.find((each) => each.id === id);
      return result === undefined ? skip !== undefined : result.judgement.status === "pass";
    })
  );

/** Lists what no verdict is about, so that a green line is not taken for more than it says. */
export function notJudged(ran: readonly RanFixture[]): string[] {
  const lines: string[] = [];
  const named = (tests: readonly { fixture: string; id: string }[], why: string) => {
    if (tests.length === 0) return;
    const names = tests.slice(0, mostNamed).map(({ fixture, id }) => `${fixture}/${id}`);
    const more = tests.length > mostNamed ? ` and ${tests.length - mostNamed} more` : "";
    lines.push(`${count(tests.length, "test")} ${why}: ${names.join(", ")}${more}`);
  };
  named(
    testsOf(ran, ({ expectations }, results) => expectations.length === 0 && results),
    "without expectations",
  );
  named(testsOf(ran, (_, results) => !results), "not run");
  return lines;
}

const testsOf = (
  ran: readonly RanFixture[],
  fits: (test: AgentTest, hasResult: boolean) => boolean,
): { fixture: string; id: string }[] =>
  ran.flatMap(({ fixture, results }) =>
    fixture.tests.filter((test) => fits(test, results.some(({ id }) => id === test.id)))
      .map(({ id }) => ({ fixture: fixture.name, id }))
  );
