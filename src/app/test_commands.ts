/** Requests about tests (PTH design §10, Testing). */
import type { PlannedTest } from "../../machines/model/observation.ts";
import { defaultTimeoutSeconds, type TestCase } from "../../machines/model/test_case.ts";
import type { SuiteSummary, TestResult } from "../../machines/model/test_result.ts";
import { PthError } from "../errors.ts";
import type {
  RequestOptions,
  SessionCommands,
  SuiteOptions,
} from "../harness.ts";
import { makeRedactor } from "../session/redact.ts";
import { arrange, checkArrangement, drawSeed } from "../testing/arrange.ts";
import { abilitiesOf } from "../testing/abilities_of.ts";
import { isOpenEnded } from "../testing/assertion_table.ts";
import { assignIds } from "../testing/ids.ts";
import { interpolateTests } from "../testing/interpolate.ts";
import { loadTests } from "../testing/load.ts";
import { chooseWorkers, filterTests, planSuite } from "../testing/plan.ts";
import { blameEnvironment } from "./blame_environment.ts";
import { ask } from "./ask.ts";
import { testFolder } from "./discover_tests.ts";
import { generateInto } from "./generate_command.ts";
import { followSuite, summarize } from "./follow_suite.ts";
import type { RunHistory } from "./run_history.ts";
import { type SessionContext, withProgress } from "./session_context.ts";
import { addTestFile, editTestFile } from "./test_files.ts";
import { count, definedOnly } from "../values.ts";

type TestCommands = Pick<
  SessionCommands,
  | "tests"
  | "testProblems"
  | "generateTests"
  | "useTests"
  | "createTest"
  | "editTest"
  | "runTest"
  | "runSuite"
  | "results"
  | "report"
>;

export function testCommands(context: SessionContext): TestCommands {
  const { live } = context;
  const tests: TestCommands["tests"] = (filter = {}) => filterTests(context.tests, filter, statuses(context));
  const runSuite: TestCommands["runSuite"] = (suite, options = {}) => run(context, suite, options);
  return {
    tests,
    testProblems: () => context.testProblems ?? [],
    generateTests: (generate) => generateInto(context, generate, (all) => replaceTests(context, all)),
    useTests: async (path) => replaceTests(context, await loadTests(path)),
    async createTest(yaml) {
      refuseSecrets(context, yaml);
      const test = await addTestFile(testFolder(context), context.tests, yaml);
      return replaceTests(context, [...context.tests, test]).at(-1)!;
    },
    async editTest(id, yaml) {
      const index = context.tests.findIndex((test) => test.id === id);
      if (index === -1) throw noSuchTest(context, id);
      refuseSecrets(context, yaml);
      const tests = await editTestFile(testFolder(context), context.tests, index, yaml);
      context.results.delete(id);
      return replaceTests(context, tests)[index]!;
    },
    async runTest(id, suite, options) {
      if (!context.tests.some((test) => test.id === id)) throw noSuchTest(context, id);
      const { results } = await runSuite({ ...suite, ids: [id] }, options);
      return results[0]!;
    },
    runSuite,
    results(filter = {}) {
      const results = tests(filter)
        .flatMap(({ id }) => context.results.get(id) ?? []);
      const findings = [
        ...context.findings,
        ...live.findings,
        ...results.flatMap((result) => result.findings),
      ];
      return { summary: summarize(results, live.timings.suite_ms ?? 0), results, findings };
    },
    report() {
      const results = [...context.results.values()];
      return {
        source: live.source!,
        tests: context.tests,
        results,
        findings: [...context.findings, ...live.findings, ...results.flatMap((result) => result.findings)],
        summary: summarize(results, live.timings.suite_ms ?? 0),
        timings: live.timings,
        ...(context.covered ? { coverage: context.covered.coverage, impact: context.covered.impact } : {}),
        operations: live.operations.all(),
        ...(live.environment ? { environment: live.environment.info } : {}),
        ...(context.plugin ? { plugin: context.plugin } : {}),
        ...context.measurements,
        ...(context.seed === undefined ? {} : { seed: context.seed }),
      };
    },
  };
}

/** Puts other tests in place of the session's; results of tests that are gone go with them. */
export function replaceTests(context: SessionContext, tests: readonly TestCase[]): TestCase[] {
  context.tests = assignIds(tests);
  const ids = new Set(context.tests.map(({ id }) => id));
  for (const id of context.results.keys()) if (!ids.has(id)) context.results.delete(id);
  return context.tests;
}

const statuses = ({ results }: SessionContext) =>
  new Map([...results].map(([id, { status }]) => [id, status]));

/** Plans, runs and collects; a test that did not get its turn is skipped with the reason. */
async function run(
  context: SessionContext,
  suite: SuiteOptions,
  options: RequestOptions,
): Promise<{ summary: SuiteSummary; results: TestResult[] }> {
  const { live, actor } = context;
  const { handle, state: { cpus } } = live.requireEnvironment().info;
  checkArrangement(suite);
  const history = await context.history?.();
  const filter = suite.lastFailed ? onlyLastFailed(context, suite, history) : suite;
  const plan = planSuite(context.tests, filter, { tier: handle.tier, statuses: statuses(context) });
  const skips = new Map(plan.skipped.map(({ test, reason }) => [test.id, reason]));
  const seed = suite.seed ?? (suite.shuffle ? drawSeed() : undefined);
  const all = [...plan.skipped.map(({ test }) => test), ...plan.run];
  const chosen = arrange(all, definedOnly({ shuffle: suite.shuffle, seed, shard: suite.shard }));
  noteArrangement(context, suite, { seed, all: all.length, chosen: chosen.length });
  const values = new Map([...Object.entries(live.variables), ...live.secrets]);
  const toRun = chosen.filter(({ id }) => !skips.has(id));
  const planned: PlannedTest[] = [
    ...chosen.filter(({ id }) => skips.has(id))
      .map((test) => ({ ...withLimit(test, suite), skip: skips.get(test.id)! })),
    ...interpolateTests(toRun, values).map((test) => withLimit(test, suite)),
  ];
  const { workers, reason } = chooseWorkers(toRun, live.tools, cpus, suite.workers ?? "auto");
  const following = followSuite(context, chosen, { workers, workersReason: reason }, history);
  try {
    const ended = await withProgress(
      context,
      options,
      () =>
        live.step("suite", `running ${count(chosen.length, "test")}`, async () => {
          following.start();
          const end = await ask<{ reason: string }>(actor, {
            type: "session.run_suite",
            tests: planned,
            workers,
            rules: {
              isolation: suite.isolation ?? "shared",
              strict: suite.strict ?? false,
              retries: suite.retries ?? 0,
            },
            bail: suite.bail,
          }, { signal: options.signal, onAbort: () => actor.send({ type: "session.cancel_suite" }) });
          return following.finish(end.reason);
        }, ({ summary }) => `${summary.passed} passed, ${summary.failed} failed, ${summary.skipped} skipped`),
    );
    await blameEnvironment(context, ended.results);
    await history?.keep(chosen, ended.results, seed);
    return ended;
  } finally {
    following.stop();
  }
}

/** With nothing to go by, everything runs, and it says so. */
function onlyLastFailed(
  { live, tests }: SessionContext,
  suite: SuiteOptions,
  history: RunHistory | undefined,
): SuiteOptions {
  const failed = history?.lastFailed();
  const ids = tests.filter(({ id }) => failed?.includes(id)).map(({ id }) => id);
  if (ids.length > 0) return { ...suite, ids: suite.ids?.filter((id) => ids.includes(id)) ?? ids };
  live.note(
    failed === undefined
      ? "No earlier run of this plugin is known on this machine: all tests run."
      : "No test failed last time: all tests run.",
  );
  return suite;
}

/** What decides on order and number of tests must be known to whoever repeats the run. */
function noteArrangement(
  context: SessionContext,
  { shuffle, shard }: SuiteOptions,
  { seed, all, chosen }: { seed: number | undefined; all: number; chosen: number },
): void {
  if (seed === undefined) delete context.seed;
  else context.seed = seed;
  if (shuffle) {
    context.live.note(`The order of the tests is drawn from seed ${seed}: with it the order comes again.`);
  }
  if (shard) context.live.note(`Part ${shard.index} of ${shard.of}: ${chosen} of ${count(all, "test")}.`);
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

/** Tests go onto the branch. Short values are no secrets that could be told from ordinary text ("true", "8080"). */
function refuseSecrets({ live: { secrets } }: SessionContext, yaml: string): void {
  const found = [...secrets].find(([, value]) =>
    value.length >= 8 && makeRedactor([value]).text(yaml) !== yaml
  );
  if (!found) return;
  throw new PthError("INVALID_INPUT", "Cannot keep the test: it holds the value of a secret", {
    next: [`Name it by its variable instead: \${env:${found[0]}}`],
  });
}

function noSuchTest({ tests }: SessionContext, id: string): PthError {
  const near = tests.filter((test) => test.id.includes(id) || test.name === id).slice(0, 5);
  return new PthError("NO_SUCH_TEST", `Cannot find test ${id}: there is none of this id`, {
    next: near.length > 0
      ? [`Did you mean: ${near.map((test) => test.id).join(", ")}`]
      : ["List the tests: pth_list_tests"],
  });
}
