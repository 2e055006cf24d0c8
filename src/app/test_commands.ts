/** Requests about tests (PTH design §10, Testing). */
import { join } from "node:path";
import type { PlannedTest } from "../../machines/model/observation.ts";
import type { ToolDefinition } from "../../machines/model/plugin.ts";
import { defaultTimeoutSeconds, type TestCase } from "../../machines/model/test_case.ts";
import type { SuiteSummary, TestResult } from "../../machines/model/test_result.ts";
import { PthError } from "../errors.ts";
import type {
  GeneratedTests,
  GenerateOptions,
  RequestOptions,
  SessionCommands,
  SuiteOptions,
} from "../harness.ts";
import { exists, readTextFile, writeTextAtomically } from "../platform/files.ts";
import { registry as generators } from "../testing/generators/_registry.ts";
import { assignIds } from "../testing/ids.ts";
import { interpolateTests } from "../testing/interpolate.ts";
import { loadTests } from "../testing/load.ts";
import { parseTests } from "../testing/parse.ts";
import { chooseWorkers, filterTests, planSuite } from "../testing/plan.ts";
import { serializeTests } from "../testing/serialize.ts";
import { ask } from "./ask.ts";
import { testFolder } from "./discover_tests.ts";
import { followSuite, summarize } from "./follow_suite.ts";
import { type SessionContext, withProgress } from "./session_context.ts";

type TestCommands = Pick<
  SessionCommands,
  | "tests"
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
    generateTests: (generate) => {
      const generated = generateTests(live.tools, generate);
      const kept = context.tests.filter((test) => test.file !== undefined || test.generatedFrom === "manual");
      context.tests = assignIds([...kept, ...generated.tests]);
      context.findings = generated.findings;
      const ids = new Set(generated.tests.map(({ name }) => name));
      return Promise.resolve({ ...generated, tests: context.tests.filter((test) => ids.has(test.name)) });
    },
    async useTests(path) {
      context.tests = assignIds(await loadTests(path));
      return context.tests;
    },
    async createTest(yaml) {
      const test = onlyTest("new test", yaml);
      const file = await freeFile(testFolder(context), test.id);
      await writeTextAtomically(file, yaml);
      const placed = { ...test, file };
      context.tests = assignIds([...context.tests, placed]);
      return context.tests.at(-1)!;
    },
    editTest: (id, yaml) => editTest(context, id, yaml),
    async runTest(id, suite, options) {
      if (!context.tests.some((test) => test.id === id)) throw noSuchTest(context, id);
      const { results } = await runSuite({ ...suite, ids: [id] }, options);
      return results[0]!;
    },
    runSuite,
    results(filter = {}) {
      const results = tests(filter)
        .flatMap(({ id }) => context.results.get(id) ?? []);
      const findings = [...context.findings, ...results.flatMap((result) => result.findings)];
      return { summary: summarize(results, live.timings.suite_ms ?? 0), results, findings };
    },
    report() {
      const results = [...context.results.values()];
      return {
        source: live.source!,
        tests: context.tests,
        results,
        findings: [...context.findings, ...results.flatMap((result) => result.findings)],
        summary: summarize(results, live.timings.suite_ms ?? 0),
        timings: live.timings,
        ...(live.environment ? { environment: live.environment.info } : {}),
        ...(context.plugin ? { plugin: context.plugin } : {}),
      };
    },
  };
}

/** What all generators propose together. */
function generateTests(tools: readonly ToolDefinition[], options: GenerateOptions): GeneratedTests {
  const all = generators.map((generator) => generator.generate(tools, options));
  return {
    tests: all.flatMap(({ tests }) => tests),
    findings: all.flatMap(({ findings }) => findings),
    heldBack: all.flatMap(({ heldBack }) => heldBack),
  };
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
  const plan = planSuite(context.tests, suite, { tier: handle.tier, statuses: statuses(context) });
  const chosen = [...plan.skipped.map(({ test }) => test), ...plan.run];
  const values = new Map([...Object.entries(live.variables), ...live.secrets]);
  const planned: PlannedTest[] = [
    ...plan.skipped.map(({ test, reason }) => ({ ...withLimit(test, suite), skip: reason })),
    ...interpolateTests(plan.run, values).map((test) => withLimit(test, suite)),
  ];
  const { workers, reason } = chooseWorkers(plan.run, live.tools, cpus, suite.workers ?? "auto");
  const following = followSuite(context, chosen, { workers, workersReason: reason });
  try {
    return await withProgress(
      context,
      options,
      () =>
        live.step("suite", `running ${chosen.length} tests`, async () => {
          following.start();
          const end = await ask<{ reason: string }>(actor, {
            type: "session.run_suite",
            tests: planned,
            workers,
            rules: { isolation: suite.isolation ?? "shared", strict: suite.strict ?? false },
            bail: suite.bail,
          }, { signal: options.signal, onAbort: () => actor.send({ type: "session.cancel_suite" }) });
          return following.finish(end.reason);
        }, ({ summary }) => `${summary.passed} passed, ${summary.failed} failed, ${summary.skipped} skipped`),
    );
  } finally {
    following.stop();
  }
}

/** A test's own limit, else the asked one, else its tier's; only generated tests are stretched by signs of life. */
function withLimit(test: TestCase, { timeoutSeconds }: SuiteOptions): PlannedTest {
  const seconds = test.timeoutSeconds ?? timeoutSeconds ?? defaultTimeoutSeconds[test.tier];
  const extendable = test.generatedFrom !== "manual" && test.timeoutSeconds === undefined;
  return { test, timeoutMs: seconds * 1000, extendable };
}

/** Replaces a test where it lies: in its file, or in memory. */
async function editTest(context: SessionContext, id: string, yaml: string): Promise<TestCase> {
  const index = context.tests.findIndex((test) => test.id === id);
  const old = context.tests[index];
  if (!old) throw noSuchTest(context, id);
  const test = onlyTest(`test ${id}`, yaml);
  const file = old.file ?? await freeFile(testFolder(context), test.id);
  const inFile = old.file === undefined ? [] : parseTests(file, await readTextFile(file));
  // A file that holds this test alone keeps the author's own words.
  await writeTextAtomically(
    file,
    inFile.length <= 1 ? yaml : serializeTests(inFile.map((each) => each.line === old.line ? test : each)),
  );
  const edited: TestCase = { ...test, file, generatedFrom: "manual" };
  context.tests = assignIds(context.tests.with(index, edited));
  context.results.delete(id);
  return context.tests[index]!;
}

function onlyTest(place: string, yaml: string): TestCase {
  const [test, ...more] = parseTests(place, yaml);
  if (test && more.length === 0) return test;
  throw new PthError(
    "INVALID_TEST_FILE",
    `Cannot take ${place}: it holds ${more.length + (test ? 1 : 0)} tests`,
    {
      next: ["Give the YAML of exactly one test"],
    },
  );
}

async function freeFile(folder: string, id: string): Promise<string> {
  for (let number = 1;; number++) {
    const file = join(folder, `${number === 1 ? id : `${id}-${number}`}.yaml`);
    if (!await exists(file)) return file;
  }
}

function noSuchTest({ tests }: SessionContext, id: string): PthError {
  const near = tests.filter((test) => test.id.includes(id) || test.name === id).slice(0, 5);
  return new PthError("NO_SUCH_TEST", `Cannot find test ${id}: there is none of this id`, {
    next: near.length > 0
      ? [`Did you mean: ${near.map((test) => test.id).join(", ")}`]
      : ["List the tests: pth_list_tests"],
  });
}
