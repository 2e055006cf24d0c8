/** Chooses which tests of fixtures run. */
import type { AgentFixture } from "../../../machines/model/agent_fixture.ts";
import type { SuiteOptions } from "../../../machines/model/suite_options.ts";
import { chooseListedTests } from "../../testing/run/choose_listed_tests.ts";

interface ChosenAgentTests {
  /** Fixtures with tests that were chosen, each with them alone. */
  fixtures: AgentFixture[];
  /** Notes that are needed to repeat the run. */
  notes: string[];
}

/**
 * @param lastFailed Ids of tests that failed when the fixture ran last; undefined: no run is known
 * @throws {PthError} `NO_TESTS_MATCH`
 */
export function chooseAgentTests(
  fixtures: readonly AgentFixture[],
  suite: SuiteOptions,
  lastFailed: (fixture: AgentFixture) => string[] | undefined,
): ChosenAgentTests {
  const all = fixtures.flatMap((fixture) => {
    const failed = lastFailed(fixture);
    return fixture.tests.map((test) => ({
      fixture,
      test,
      names: [test.id, test.name] as const,
      tags: test.tags,
      failedLast: failed?.includes(test.id),
    }));
  });
  const { tests, notes } = chooseListedTests(all, suite, {
    owners: "fixtures",
    hint: "A test is a file tests/test_*.yaml beside fixture.yaml",
  });
  return {
    fixtures: fixtures.map((fixture) => ({
      ...fixture,
      tests: tests.filter((each) => each.fixture === fixture).map(({ test }) => test),
    })).filter(({ tests }) => tests.length > 0),
    notes,
  };
}
