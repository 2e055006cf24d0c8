/** Chooses which tests of fixtures run, by their names, tags, parts, and what earlier runs came to. */
import type { AgentFixture, AgentTest } from "../../../machines/model/agent_fixture.ts";
import type { SuiteOptions } from "../../api/harness.ts";
import { PthError } from "../../core/errors.ts";
import { count } from "../../core/text.ts";
import { drawSeed, shuffleAndShard } from "../../testing/run/shuffle_and_shard.ts";

interface ChosenAgentTests {
  /** Fixtures with tests that were chosen, each with them alone. */
  fixtures: AgentFixture[];
  /** Notes that are needed to repeat the run. */
  notes: string[];
}

/** @param lastFailed Ids of tests that failed when the fixture ran last; undefined: no run is known */
export function chooseAgentTests(
  fixtures: readonly AgentFixture[],
  suite: SuiteOptions,
  lastFailed: (fixture: AgentFixture) => string[] | undefined,
): ChosenAgentTests {
  const { grep, tag, shuffle, shard } = suite;
  const pattern = grep === undefined ? undefined : new RegExp(grep);
  const all = fixtures.flatMap((fixture) =>
    fixture.tests.map((test) => ({ fixture, test, tags: test.tags }))
  );
  const wanted = all.filter(({ test }) =>
    (tag === undefined || test.tags.includes(tag)) &&
    (pattern === undefined || pattern.test(test.name) || pattern.test(test.id))
  );
  if (wanted.length === 0) throw noneMatch(all.map(({ test }) => test), suite);
  const notes: string[] = [];
  const failed = suite.lastFailed === true
    ? wanted.filter(({ fixture, test }) => lastFailed(fixture)?.includes(test.id))
    : wanted;
  if (failed.length === 0) {
    const known = fixtures.some((fixture) => lastFailed(fixture) !== undefined);
    const why = known
      ? "No test failed last time"
      : "No earlier run of these fixtures is known on this machine";
    notes.push(`${why}: all tests run.`);
  }
  const before = failed.length === 0 ? wanted : failed;
  const seed = suite.seed ?? (shuffle === true ? drawSeed() : 0);
  const chosen = shuffleAndShard(before, { ...suite, seed });
  if (shuffle === true) {
    notes.push(`The order of the tests is drawn from seed ${seed}: with it the order comes again.`);
  }
  if (shard !== undefined) {
    notes.push(`Part ${shard.index} of ${shard.of}: ${chosen.length} of ${count(before.length, "test")}.`);
  }
  return {
    fixtures: fixtures.map((fixture) => ({
      ...fixture,
      tests: chosen.filter((each) => each.fixture === fixture).map(({ test }) => test),
    })).filter(({ tests }) => tests.length > 0),
    notes,
  };
}

function noneMatch(tests: readonly AgentTest[], { grep, tag }: SuiteOptions): PthError {
  const asked = [
    ...(grep === undefined ? [] : [`--grep ${grep}`]),
    ...(tag === undefined ? [] : [`--tag ${tag}`]),
  ];
  const state = tests.length === 0 ? "the fixtures have none" : `none fits ${asked.join(" and ")}`;
  const tags = [...new Set(tests.flatMap((test) => test.tags))].sort();
  return new PthError("NO_TESTS_MATCH", `Cannot run tests: ${state}`, {
    next: [
      ...(tests.length === 0 ? ["A test is a file tests/test_*.yaml beside fixture.yaml"] : []),
      ...(tag === undefined || tags.length === 0 ? [] : [`Tags that exist: ${tags.join(", ")}`]),
      ...(grep === undefined
        ? []
        : [`Tests that exist: ${tests.slice(0, 20).map(({ id }) => id).join(", ")}`]),
    ],
  });
}
