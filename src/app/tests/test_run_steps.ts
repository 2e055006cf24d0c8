/** Slots of the machine that runs tests: chooses them, follows their suite and collects the results. */
import { fromPromise } from "xstate";
import type { PlannedTest } from "../../../machines/model/observation.ts";
import type { CollectTestsInput, PlannedTestRun } from "../../../machines/test_run_machine.ts";
import type { SuiteSummary, TestResult, TestRunResult } from "../../../machines/model/test_result.ts";
import { endRetainedInstances } from "../../actors/tests/run_server_check_actor.ts";
import { recordErrorsUnderWay } from "../../actors/tests/record_late_errors.ts";
import { staleResults } from "../../actors/tests/runs_on.ts";
import type { SuiteOptions } from "../../api/harness.ts";
import { PthError } from "../../core/errors.ts";
import { count } from "../../core/text.ts";
import { definedOnly } from "../../core/values.ts";
import { registry as checks } from "../../testing/checks/_registry.ts";
import { groupTests } from "../../testing/run/group_tests.ts";
import { orderByTool } from "../../testing/run/order_by_tool.ts";
import { chooseWorkers, serversAhead } from "../../testing/run/test_plan.ts";
import { attributeToEnvironment } from "../environment/attribute_to_environment.ts";
import { isLooping, isMatrixRunning, type SessionParts } from "../session/session_parts.ts";
import { chooseTests } from "./choose_tests.ts";
import { followSuite } from "./follow_suite.ts";
import type { OwnTestSteps } from "./own_test_steps.ts";
import { rereadTests } from "./reread_tests.ts";

/** A run of tests from its plan to its results. */
interface PlannedRun {
  planned: PlannedTestRun;
  collect(ended: CollectTestsInput): Promise<TestRunResult>;
  abandon(error: unknown): Promise<void>;
}

/** Parts of a run that not every session has. */
interface TestRunParts {
  /** Puts the files in place that inputs name; where absent, there are none. */
  layOut?: (live: SessionParts["live"], inputs: readonly unknown[]) => Promise<void>;
  /** The plugin's own tests; where absent, they do not run. */
  own?: OwnTestSteps;
}

export function testRunSteps(contextOf: () => SessionParts, parts: TestRunParts = {}) {
  /** The session has one at a time. */
  let run: PlannedRun | undefined;
  return {
    plan: fromPromise<PlannedTestRun, { suite: SuiteOptions }>(async ({ input: { suite } }) => {
      run = undefined;
      run = await planRun(contextOf(), suite, parts);
      return run.planned;
    }),
    collect: fromPromise<TestRunResult, CollectTestsInput>(({ input }) => run!.collect(input)),
    abandon: fromPromise<void, { error: unknown }>(async ({ input: { error } }) => {
      await run?.abandon(error);
    }),
  };
}

/** Plans and follows; a test that does not get its turn is skipped with the reason. */
async function planRun(
  context: SessionParts,
  asked: SuiteOptions,
  { layOut, own }: TestRunParts,
): Promise<PlannedRun> {
  const { live } = context;
  const { cpus } = live.environment.require().info.state;
  const changed = await changedTests(context, asked);
  const history = await context.history?.();
  const { suite: others, runs, notes: ownNotes = [] } = own?.plan(context, asked) ?? { suite: asked };
  const { chosen, toRun, planned, seed, notes } = others === undefined
    ? noTests
    : chooseTests(context, others, history);
  const suite = others ?? {};
  const told = [...changed, ...notes, ...ownNotes];
  context.results.seed = seed;
  for (const note of told) live.progress.note(note);
  await layOut?.(live, toRun.map(({ input, control, steps }) => [input, control, steps]));
  // What is measured runs on one server.
  const wanted = suite.coverage ? 1 : suite.workers ?? "auto";
  const { workers, reason } = chooseWorkers(toRun, live.plugin.tools, cpus, wanted);
  const startsServers = live.plugin.plan?.server.command !== undefined;
  const isolation = suite.isolation ?? "shared";
  // Who asks for a number of workers, an order or a fresh server for each test gets just that.
  const grouping =
    startsServers && wanted === "auto" && workers === 1 && isolation === "shared" && !suite.shuffle
      ? groupTests(toRun, live.plugin.tools, live.progress.timings.start_ms ?? 0)
      : undefined;
  // Read-only tools are tested on several servers at once, in no order that could be told.
  const orderIsFree = wanted === "auto" && workers > 1 && isolation === "shared" && !suite.shuffle;
  const why = [reason, grouping?.reason].filter((part) => part !== undefined).join("; ");
  const following = followSuite(context, chosen, { workers, workersReason: why }, history);
  const step = live.progress.begin("suite", `running ${count(chosen.length, "test")}`);
  return {
    planned: {
      suite: {
        type: "session.run_suite",
        tests: (orderIsFree ? orderByTool(planned) : planned).map((each) =>
          withServers(each, grouping?.groups.get(each.test.id))
        ),
        workers,
        rules: {
          isolation,
          opensAhead: startsServers ? serversAhead(cpus, workers) : 0,
          checksOrder: grouping !== undefined,
          strict: suite.strict ?? false,
          coverage: suite.coverage ?? false,
          retries: suite.retries ?? 0,
          ...definedOnly({ startMs: wanted === "auto" ? live.progress.timings.start_ms : undefined }),
        },
        bail: suite.bail,
      },
      ...definedOnly({ own: runs }),
    },
    async collect({ reason, own: ends }) {
      const ran = runs === undefined ? undefined : await own!.collect(context, { runs, ends, reason });
      const end = following.finish(reason, ran?.followed);
      following.stop();
      step.finish(describeCounts(end.summary));
      // A cancel is answered at once.
      const late = reason === "cancelled" ? undefined : recordErrorsUnderWay(live);
      await Promise.all([endRetainedInstances(live), late]);
      const degraded = await attributeToEnvironment(context, end.results);
      const after = [...ran?.notes ?? [], ...degraded];
      for (const note of after) live.progress.note(note);
      await history?.keep(chosen, end.results.filter((result) => result.own === undefined), seed);
      return {
        ...end,
        ...staleOf(context, end.results),
        notes: [...told, ...after],
      };
    },
    async abandon(error) {
      following.stop();
      step.fail(error);
      await endRetainedInstances(live);
    },
  };
}

/** The choice of a run of own tests alone. */
const noTests: ReturnType<typeof chooseTests> = { chosen: [], toRun: [], planned: [], notes: [] };

/** With the servers that a test needs: its group's, or, for a check that calls tools, one that others do not disturb. */
function withServers(planned: PlannedTest, group: string | undefined): PlannedTest {
  const callsTools = checks.find(({ name }) => name === planned.test.check)?.callsTools;
  return { ...planned, ...definedOnly({ group, callsTools }) };
}

const describeCounts = ({ passed, failed, skipped }: SuiteSummary): string =>
  `${passed} passed, ${failed} failed, ${skipped} skipped`;

function staleOf({ live }: SessionParts, results: readonly TestResult[]): Pick<TestRunResult, "stale"> {
  const stale = staleResults(live, results);
  return stale === undefined ? {} : { stale };
}

/**
 * Reads what others did to the test files. A loop and a matrix end with the tests they began with: who makes a fix does
 * not change what it is judged by.
 */
async function changedTests(context: SessionParts, { ids }: SuiteOptions): Promise<string[]> {
  if (context.live.mode === "run" || isLooping(context) || isMatrixRunning(context)) return [];
  const changed = await rereadTests(context);
  const gone = ids?.find((id) => !context.tests.known.some((test) => test.id === id));
  if (changed.length === 0 || gone === undefined) return changed;
  throw new PthError("NO_SUCH_TEST", `Cannot run ${gone}: there is no such test any more`, {
    tried: changed,
    next: [{ mcp: "List the tests: pth_list_tests({})" }],
  });
}
