/** Goes on with an interrupted session, and says where it stands. */
import type { EnvironmentConfig } from "../../../machines/model/environment.ts";
import type {
  LastTestStatus,
  ResumedSession,
  ResumedWork,
  ResumeRequest,
} from "../../../machines/model/resume.ts";
import { environmentConfig } from "../../api/environment_config.ts";
import { asPthError, errorMessage, PthError } from "../../core/errors.ts";
import type { RequestOptions } from "../../api/harness.ts";
import { findSession, type FoundSession } from "../../session/resume/find_session.ts";
import { discoverTests } from "../tests/discover_tests.ts";
import { problemLine } from "../../core/problems.ts";
import type { CodeLine } from "../../session/code_line.ts";
import { savedResults } from "../tests/resumed_results.ts";
import { loadedPlugin, type SessionParts, withProgress } from "./session_parts.ts";
import { prepareConfig } from "../environment/environment_commands.ts";
import { retryBudget } from "../../platform/retry.ts";
import { runTask } from "../run_task.ts";
import { countMissingTests } from "./resume_steps.ts";
import type { SessionManager } from "./session_manager.ts";
import type { SessionState } from "../../../machines/model/session_state.ts";

/** @throws {PthError} as `Harness.resumeSession` */
export async function resumeSession(
  stage: SessionManager,
  { provision = false, ...request }: ResumeRequest,
  options: RequestOptions & { force?: boolean },
): Promise<ResumedSession> {
  stage.refuseSecond();
  const found = await findSession(request);
  options.signal?.throwIfAborted();
  const session = await stage.start(found.target, { ...options, mode: "session" }, found);
  const { context } = stage;
  const degraded = [...found.degraded, ...found.state.leftOut.map((what) => `Not kept: ${what}.`)];
  await readTests(context, degraded);
  const config = savedConfig(found.state, degraded);
  const resumed = { ...standingOf(found, context), session, degraded };
  if (!provision) return { ...resumed, next: nextSteps(found.state, context, config) };
  try {
    const withheld = found.state.withheld.length > 0;
    const { environment, plugin } = await resumeWork(context, { config: config ?? {}, withheld }, options);
    const next = nextSteps(found.state, context, config);
    if (plugin === undefined) return { ...resumed, environment, next };
    const tested = new Set(context.tests.all.map(({ tool }) => tool));
    const untestedTools = plugin.tools.map(({ name }) => name).filter((name) => !tested.has(name));
    return { ...resumed, environment, plugin, untestedTools, next };
  } catch (thrown) {
    throw openAllTheSame(found, thrown);
  }
}

const resumeWork = (
  context: SessionParts,
  { config, withheld }: { config: Partial<EnvironmentConfig>; withheld: boolean },
  options: RequestOptions,
): Promise<ResumedWork> =>
  withProgress(context, options, async () => {
    const { live } = context;
    live.limits.retries = retryBudget(options.retries);
    const asked = await prepareConfig(context, config);
    return live.secrets.redact.value(
      await runTask(context, { type: "session.resume", config: asked, withheld }, options),
    );
  });

/** Reads the branch's `.pth/tests`. A file with a mistake in it is reported again when the plugin is loaded. */
async function readTests(context: SessionParts, degraded: string[]): Promise<void> {
  try {
    await discoverTests(context);
    degraded.push(...context.tests.problems.map((problem) => `Not loaded: ${problemLine(problem)}`));
  } catch (error) {
    degraded.push(`The tests of the branch are not loaded: ${errorMessage(error)}`);
  }
}

function savedConfig(
  { environment }: SessionState,
  degraded: string[],
): Partial<EnvironmentConfig> | undefined {
  if (environment === undefined) return undefined;
  const read = environmentConfig.safeParse(environment);
  if (read.success) return read.data;
  degraded.push("The environment that was saved cannot be read: the default one takes its place.");
  return undefined;
}

function standingOf(
  { state, history }: FoundSession,
  { tests: { all: tests }, live }: SessionParts,
): Omit<ResumedSession, "session" | "degraded" | "next"> {
  const fixes = history.filter(({ type }) => type === "fix").length;
  const reverts = history.filter(({ type }) => type === "revert").length;
  const standing = lastStanding(state, live.code.line, new Map(tests.map(({ id, name }) => [id, name])));
  return {
    iteration: state.iteration,
    commits: { fixes, reverts, others: history.length - fixes - reverts },
    tests: tests.length,
    ...(state.savedAt === "" ? {} : { savedAt: state.savedAt, trend: state.trend }),
    ...(standing === undefined ? {} : { standing }),
  };
}

/** Test status of the latest results; those of the last iteration name tests that are in no file. */
function lastStanding(
  state: SessionState,
  code: CodeLine,
  names: ReadonlyMap<string, string>,
): LastTestStatus | undefined {
  const { records, causes } = state;
  const all = savedResults(state);
  if (all.length === 0) return undefined;
  const recorded = new Map(records.at(-1)?.after.failing.map(({ id, name }) => [id, name]));
  const count = (...wanted: string[]) => all.filter(({ status }) => wanted.includes(status)).length;
  const failing = all.filter(({ status }) => status === "failed").map(({ id, category }) => {
    const name = names.get(id) ?? recorded.get(id);
    const cause = causes.find((each) => each.tests.includes(id))?.cause;
    return {
      id,
      ...(name === undefined ? {} : { name }),
      ...(category === undefined ? {} : { category }),
      ...(cause === undefined ? {} : { cause }),
    };
  });
  const stale = code.stale(all, undefined);
  return {
    total: all.length,
    passed: count("passed", "flaky"),
    skipped: count("skipped"),
    ...(stale === undefined ? {} : { stale }),
    failing,
  };
}

function nextSteps(
  state: SessionState,
  context: SessionParts,
  config: Partial<EnvironmentConfig> | undefined,
): string[] {
  const { withheld, iteration } = state;
  const { live } = context;
  const plugin = loadedPlugin(context);
  const generate = context.tests.all.length === 0 || (!plugin && countMissingTests(state, context) > 0);
  const values = withheld.map((name) => `${JSON.stringify(name)}: …`).join(", ");
  const configValues = withheld.length === 0 ? "" : ` configValues: { ${values} } `;
  return [
    ...(live.environment.current ? [] : [`pth_provision_environment(${JSON.stringify(config ?? {})})`]),
    ...(plugin ? [] : [`pth_load_plugin({${configValues}})`]),
    ...(generate ? ["pth_generate_tests({})"] : []),
    iteration > 0 ? `pth_run_iteration({}), which is iteration ${iteration + 1}` : "pth_run_test_suite({})",
  ];
}

function openAllTheSame({ branch }: FoundSession, thrown: unknown): PthError {
  const error = asPthError(thrown);
  return new PthError(error.code, `The session on ${branch} is resumed and open, but: ${error.message}`, {
    ...error.context,
    branch,
    next: [
      ...error.context.next ?? [],
      {
        mcp:
          "Go on in this session: pth_provision_environment({}), then pth_load_plugin({}) or, to have it mended, pth_run_iteration({})",
      },
    ],
  }, { cause: thrown });
}
