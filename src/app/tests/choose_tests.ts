/** Chooses the tests for a run, their order, and notes about the choice. */
import type { PlannedTest } from "../../../machines/model/observation.ts";
import type { SuiteOptions, TestFilter } from "../../../machines/model/suite_options.ts";
import { defaultTimeoutSeconds, type TestCase } from "../../../machines/model/test_case.ts";
import { abilitiesOf, planSuite } from "../../testing/run/test_plan.ts";
import { checkArrangement, drawSeed, shuffleAndShard } from "../../testing/run/shuffle_and_shard.ts";
import { isOpenEnded } from "../../testing/judge/assertion_table.ts";
import { interpolateTests } from "../../testing/format/interpolate.ts";
import { definedOnly } from "../../core/values.ts";
import type { RunHistory } from "./run_history.ts";
import { planAgent } from "./plan_agent.ts";
import type { SessionParts } from "../session/session_parts.ts";
import { count } from "../../core/text.ts";

interface ChosenTests {
  /** In the order in which they begin; those that cannot run here are among them. */
  chosen: TestCase[];
  toRun: TestCase[];
  planned: PlannedTest[];
  seed?: number;
  /** Notes that are needed to repeat the run. */
  notes: string[];
}

/** @throws {PthError} `NO_TESTS_MATCH`, `INVALID_INPUT` for options that do not go together */
export function chooseTests(
  context: SessionParts,
  suite: SuiteOptions,
  history?: Pick<RunHistory, "lastFailed">,
): ChosenTests {
  checkArrangement(suite);
  const { live } = context;
  const tests = context.tests.all;
  const agent = suite.agent ?? context.promptAgent.current;
  const { tier } = live.environment.require().info.handle;
  const { filter, notes } = suite.lastFailed
    ? onlyLastFailed(tests, suite, history?.lastFailed())
    : { filter: filterOf(suite), notes: [] };
  const plan = planSuite(tests, filter, {
    tier,
    statuses: context.results.statuses(),
    tools: live.plugin.tools,
    agent: agent !== undefined,
  });
  const all = [...plan.skipped.map(({ test }) => test), ...plan.run];
  const seed = suite.seed ?? (suite.shuffle ? drawSeed() : undefined);
  const chosen = shuffleAndShard(all, definedOnly({ shuffle: suite.shuffle, seed, shard: suite.shard }));
  const skips = new Map(plan.skipped.map(({ test, reason }) => [test.id, reason]));
  const toRun = chosen.filter(({ id }) => !skips.has(id));
  const values = new Map([...Object.entries(live.plugin.variables), ...live.secrets.values]);
  return {
    chosen,
    toRun,
    planned: [
      ...chosen.filter(({ id }) => skips.has(id))
        .map((test) => ({ ...withLimit(test, suite), skip: skips.get(test.id)! })),
      ...interpolateTests(toRun, values).map((test) =>
        planAgent(withLimit(test, suite), agent, live.plugin.plan)
      ),
    ],
    ...(seed === undefined ? {} : { seed }),
    notes: [...notes, ...arrangement(suite, seed, chosen.length, all.length)],
  };
}

/** Without what is no question about a test: an error about tests that do not match names what was asked. */
function filterOf({ tag, tier, status, generatedFrom, tool, grep, ids }: TestFilter): TestFilter {
  return definedOnly({ tag, tier, status, generatedFrom, tool, grep, ids });
}

/** With nothing to go by, everything runs. */
function onlyLastFailed(
  tests: readonly TestCase[],
  suite: TestFilter,
  failed: string[] | undefined,
): { filter: TestFilter; notes: string[] } {
  const known = new Set(failed);
  const ids = tests.map(({ id }) => id).filter((id) => known.has(id));
  const filter = filterOf(suite);
  if (ids.length > 0) {
    return { filter: { ...filter, ids: suite.ids?.filter((id) => known.has(id)) ?? ids }, notes: [] };
  }
  const why = failed === undefined
    ? "No earlier run of this plugin is known on this machine"
    : "No test failed last time";
  return { filter, notes: [`${why}: all tests run.`] };
}

function arrangement(
  { shuffle, shard }: SuiteOptions,
  seed: number | undefined,
  chosen: number,
  all: number,
): string[] {
  return [
    ...(shuffle ? [`The order of the tests is drawn from seed ${seed}: with it the order comes again.`] : []),
    ...(shard ? [`Part ${shard.index} of ${shard.of}: ${chosen} of ${count(all, "test")}.`] : []),
  ];
}

/** A test's own limit, else the asked one, else its tier's; only generated tests are stretched by signs of life. */
function withLimit(test: TestCase, { timeoutSeconds }: SuiteOptions): PlannedTest {
  const seconds = test.timeoutSeconds ?? timeoutSeconds ?? defaultTimeoutSeconds[test.tier];
  const extendable = test.generatedFrom !== "manual" && test.timeoutSeconds === undefined;
  const abilities = abilitiesOf(test);
  return {
    test,
    timeoutMs: seconds * 1000,
    extendable,
    openEnded: isOpenEnded(test),
    ...(abilities.length === 0 ? {} : { abilities }),
  };
}
