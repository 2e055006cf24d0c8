/** One run of a plugin's tests in a session of its own, from its start to the end of its suite. */
import type { EnvironmentConfig } from "../../machines/model/environment.ts";
import type { SessionTarget } from "../../machines/model/session.ts";
import type {
  GeneratedTests,
  GenerateOptions,
  Harness,
  RequestOptions,
  Session,
  SuiteOptions,
  TestFiles,
} from "../api/harness.ts";
import { definedOnly } from "../core/values.ts";
import type { TestRunResult } from "../../machines/model/test_result.ts";
import { takesPage } from "../testing/learn/page_address.ts";
import { learnableTools } from "../testing/learn/learnable_tools.ts";
import { startLimit } from "../plugin/start_limit.ts";

export interface TestRun {
  target: SessionTarget;
  environment: Partial<EnvironmentConfig>;
  /** Takes over a lock whose owner is alive. */
  force?: boolean;
  /** A file or folder of tests, or what was read of one, in place of those in `.pth/tests` and generated ones. */
  tests?: string | TestFiles | undefined;
  generate: GenerateOptions;
  /** Looks for inputs where tools refused theirs, and runs the tests of those; false: does not. */
  learn?: boolean | { output: string };
  suite: SuiteOptions;
  /** Called with the generated tests, before any test runs; what it throws ends the run. */
  onGenerated?: (generated: GeneratedTests, session: Session) => void;
}

export interface TestRunOptions extends Pick<RequestOptions, "signal" | "askConfig"> {
  /** Waits for a step in place of the run: it may give up a step that is slow to stop after the signal. */
  race?: <Result>(step: Promise<Result>) => Promise<Result>;
}

/**
 * Starts a session in the harness, provisions, loads, generates and runs the tests. The session stays open.
 * @throws {PthError} what a step fails with, or `race` rejects with
 */
export async function runTests(
  harness: Harness,
  run: TestRun,
  { signal, askConfig, race = (work) => work }: TestRunOptions,
): Promise<Session> {
  const { target, environment, force = false, tests, generate, suite, onGenerated } = run;
  const options = definedOnly({ signal });
  await race(harness.startSession(target, { ...options, mode: "run", force }));
  const session = harness.session();
  // Mistakes in tests are told before minutes of provisioning and installing.
  await race<unknown>(tests === undefined ? session.tests.discover() : session.tests.use(tests));
  await race(session.environment.provision(environment, options));
  // A server that is measured from its first start need not be started a second time.
  const load = { ...startLimit(suite), ...definedOnly({ coverage: suite.coverage }) };
  // What tests need is loaded while the server starts, not before: that would keep it from starting.
  const stopListening = harness.on((fact) => {
    if (fact.type === "step.started" && fact.phase === "start") loadAhead(tests === undefined);
  });
  try {
    await race(session.plugin.load(load, { ...options, ...definedOnly({ askConfig }) }));
  } finally {
    stopListening();
  }
  if (tests === undefined) onGenerated?.(await race(session.tests.generate(generate, options)), session);
  const ran = await race(session.tests.runSuite(suite, options));
  if (mayLearn(run, ran)) await race(runLearned(session, run, ran, options));
  return session;
}

/** Loads the modules that a suite needs. */
function loadAhead(generates: boolean): void {
  Promise.all([
    import("../actors/tests/suite_slots.ts"),
    import("./tests/test_run_steps.ts"),
    generates ? import("./tests/generate_command.ts") : undefined,
  ]).catch(() => {}); // who uses it gets the same error
}

/** A run with a choice of tests is about those; one that measures has its measurements of one suite. */
function mayLearn(run: TestRun, { summary }: TestRunResult): boolean {
  const { learn, generate: { from, ...generate }, suite: { bail, coverage } } = run;
  return learn !== undefined && learn !== false && isAboutAllTools({ ...run, generate }) &&
    (from === undefined || from.includes("learned")) && coverage !== true &&
    (bail === undefined || summary.failed < bail);
}

/** Runs tests with inputs that the tools accept, where they refused those of the suite. */
async function runLearned(
  session: Session,
  { learn, generate: { includeHeldBack }, suite }: TestRun,
  { exercise = [] }: TestRunResult,
  options: RequestOptions,
): Promise<void> {
  const tools = learnableTools(
    exercise,
    (name) => session.tests.list().some(({ tool, input = {} }) => tool === name && takesPage(input)),
  );
  if (tools.length === 0) return;
  const output = typeof learn === "object" ? learn.output : undefined;
  const { tests } = await session.tests.learn(
    { tools, ...definedOnly({ includeHeldBack, output }) },
    options,
  );
  if (tests.length === 0) return;
  const timings = session.timings();
  const before = timings.suite_ms ?? 0;
  await session.tests.runSuite({ ...suite, ids: tests.map(({ id }) => id) }, options);
  timings.suite_ms = before + (timings.suite_ms ?? 0);
}

/** Whether a run is about all tools: one with a choice of tests may have others in mind. */
export function isAboutAllTools(
  { tests, generate, suite }: Pick<TestRun, "tests" | "generate" | "suite">,
): boolean {
  const { tag, tier, status, generatedFrom, tool, ids, grep, lastFailed, shard } = suite;
  const choices = [tag, tier, status, generatedFrom, tool, ids, grep, lastFailed, shard, tests];
  return [...choices, generate.from, generate.tools].every((choice) =>
    choice === undefined || choice === false
  );
}
