/** Requests about what tests run of the plugin's code. */
import { join } from "node:path";
import type { CoverageReport, ImpactMap } from "../../../machines/model/coverage.ts";
import type { TestResult } from "../../../machines/model/test_result.ts";
import type { SessionResources } from "../../actors/session_resources.ts";
import { madeSources, pluginSources } from "../../actors/session/session_sources.ts";
import { folderSources } from "../../plugin/plugin_sources.ts";
import { PthError } from "../../core/errors.ts";
import type {
  AgentRunCommands,
  CoverageCommands,
  RequestOptions,
  SuiteOptions,
  TestCommands,
} from "../../api/harness.ts";
import { fetchedFolder } from "../../testing/coverage/line_ranges.ts";
import { gapsOf } from "../../testing/coverage/gaps.ts";
import { knownUnloaded, latestMap, type MeasuredSuite } from "../../testing/coverage/measured_suite.ts";
import { impactMapOf, reportOf } from "../../testing/coverage/report_of.ts";
import { impactOf } from "../../testing/coverage/impact_of.ts";
import { staticMap } from "../../testing/coverage/static_map.ts";
import { reloadPlugin } from "../plugin/plugin_commands.ts";
import { requireState } from "../send_request.ts";
import { changedSince, type DiffAccess, placesOf } from "./changed_since.ts";
import { loadedPlugin, type SessionParts } from "../session/session_parts.ts";

type TestRuns = Pick<TestCommands, "runSuite" | "run">;

/** Runs of tests that are measured where that is asked for: on one server, started anew if the one that runs is not. */
export function measuredRuns(
  context: SessionParts,
  tests: TestRuns,
): TestRuns {
  const measured = async <Result>(
    suite: SuiteOptions,
    options: RequestOptions,
    run: (suite: SuiteOptions) => Promise<Result>,
    resultsOf: (result: Result) => readonly TestResult[],
  ): Promise<Result> => {
    if (!suite.coverage) return await run(suite);
    const { live, actor } = context;
    // A request that is refused must not disturb the measuring of a suite that runs.
    if (actor.getSnapshot().context.testing !== undefined) requireState(actor, idleSuite, options);
    if (typeof suite.workers === "number" && suite.workers > 1) {
      live.progress.note(
        "The tests run on one server, so that what runs during a test is that test's (coverage).",
      );
    }
    await instrument(context, options);
    await live.coverage.run?.mark();
    const result = await run({ ...suite, workers: 1 });
    await keep(context, resultsOf(result));
    return result;
  };
  return {
    runSuite: (suite, options = {}) =>
      measured(suite, options, (suite) => tests.runSuite(suite, options), ({ results }) => results),
    run: (id, suite, options = {}) =>
      measured(suite, options, (suite) => tests.run(id, suite, options), (result) => [result]),
  };
}

/** Adds the coverage of agent runs to the report, if there is one of the same server. */
export function measuredAgentRuns(
  context: SessionParts,
  agentRuns: Pick<AgentRunCommands, "close">,
): Pick<AgentRunCommands, "close"> {
  return {
    async close(...request) {
      const result = await agentRuns.close(...request);
      if (context.live.coverage.run?.wasRead) await keep(context, [result]);
      return result;
    },
  };
}

/** Stands for any suite where only the session's state is asked about. */
const idleSuite = {
  type: "session.run_suite" as const,
  tests: [],
  workers: 1,
  rules: { isolation: "shared" as const, strict: false },
  bail: undefined,
};

/**
 * Restarts a server that runs uninstrumented; if coverage cannot be measured, that is noted and the tests run all the
 * same.
 */
async function instrument(context: SessionParts, options: RequestOptions): Promise<void> {
  const { live } = context;
  if (live.coverage.run !== undefined || loadedPlugin(context) === undefined) return;
  // It was tried with this server already.
  if (live.coverage.problem === undefined) await reloadPlugin(context, options, true);
  if (live.coverage.problem !== undefined) {
    live.progress.note(`Coverage is not measured: ${live.coverage.problem}`);
  }
}

/** Reads what was measured while source and server are still the same. */
async function keep(context: SessionParts, results: readonly TestResult[]): Promise<void> {
  const { live } = context;
  if (live.coverage.run === undefined) return;
  const measured = await live.coverage.run.read();
  const ran = new Set([
    ...results.filter(({ status }) => status !== "skipped").map(({ id }) => id),
    ...measured.reach.keys(),
  ]);
  const ids = context.tests.all.map(({ id }) => id).filter((id) => ran.has(id));
  const report = reportOf(live.coverage.run.collectors, measured);
  const { texts, made } = await textsOf(live, report.files.map(({ path }) => path));
  const coverage = live.secrets.redact.value(await withTools(context, report, texts));
  // Of nothing that ran no test would be affected by anything.
  const impact = report.files.length > 0
    ? impactMapOf(measured, ids)
    : await readMap(context, report.notes.join("; "));
  const now = { coverage, impact, texts, made };
  context.measurements.suite = latestMap(
    context.measurements.suite,
    now,
    new Set(context.tests.all.map(({ id }) => id)),
  );
}

/** Texts as they were measured, and which of them the host does not hold. */
async function textsOf(
  live: SessionResources,
  paths: readonly string[],
): Promise<Pick<MeasuredSuite, "texts" | "made">> {
  const { worktree, subfolder } = live.code.source!;
  const own = folderSources(join(worktree, subfolder));
  const inside = madeSources(live);
  const texts = new Map<string, string>();
  const made = new Set<string>();
  await Promise.all(paths.map(async (path) => {
    const held = await own.read(path);
    const text = held ?? await inside.read(path);
    if (text === undefined) return;
    texts.set(path, text);
    if (held === undefined) made.add(path);
  }));
  return { texts, made };
}

/** Says which tool a piece of a file belongs to. */
async function withTools(
  context: SessionParts,
  report: CoverageReport,
  texts: ReadonlyMap<string, string>,
): Promise<CoverageReport> {
  const { toolHandlers } = await import("../../testing/source_analysis/handlers.ts");
  const handlers = await toolHandlers(
    pluginSources(context.live),
    context.live.plugin.tools.map(({ name }) => name),
  );
  const files = report.files.map((file) => ({
    ...file,
    tools: handlers.filter(({ path }) => path === file.path)
      .map(({ tool, line, endLine }) => ({ tool, line, endLine })),
  }));
  const areas = handlers.flatMap(({ tool, path, line, endLine, reaches }) =>
    [{ path, line, endLine }, ...reaches].map((area) => ({ ...area, tool }))
  );
  return { ...report, files, gaps: files.flatMap((file) => gapsOf(file, areas, texts.get(file.path))) };
}

/** Files of what was fetched from a registry are shown, and may be named, as they lie in its package. */
function fullPath({ live }: SessionParts, path: string): string {
  const fetched = fetchedFolder(live.code.source!.source);
  return fetched === undefined || path.startsWith(`${fetched}/`) ? path : `${fetched}/${path}`;
}

export function coverageCommands(
  context: SessionParts,
  others: DiffAccess,
): CoverageCommands {
  return {
    report() {
      if (context.measurements.suite) return context.measurements.suite.coverage;
      const problem = context.live.coverage.problem;
      throw new PthError("NOT_NOW", `Cannot show coverage: ${problem ?? "no suite was measured yet"}`, {
        next: problem === undefined
          ? [{
            terminal: "Run the tests with it: pth run --coverage",
            mcp: "Run the tests with it: pth_run_test_suite({ coverage: true })",
          }]
          : [{ mcp: "Ask which tests a change affects, read from the source: pth_get_test_impact" }],
      });
    },
    async impact(request, options) {
      const map = await mapOf(context);
      const { worktree, subfolder } = context.live.code.source!;
      const own = folderSources(join(worktree, subfolder));
      const inside = madeSources(context.live);
      // What only the environment held is looked for there; what the host held and has no more is gone.
      const read = (path: string) => (context.measurements.suite?.made.has(path) ? inside : own).read(path);
      const places = request.files !== undefined
        ? placesOf(request.files).map((place) => ({ ...place, path: fullPath(context, place.path) }))
        : await changedSince(context, request.commit, { read, ...others }, options);
      const listed = new Set(await pluginSources(context.live).list());
      return impactOf(
        map,
        places,
        context.tests.all.map(({ id }) => id),
        knownUnloaded(map, listed),
      );
    },
  };
}

const mapOf = async (context: SessionParts): Promise<ImpactMap> =>
  context.measurements.suite?.impact ??
    await readMap(context, context.live.coverage.problem ?? "no suite was measured yet");

const readMap = (context: SessionParts, why: string): Promise<ImpactMap> =>
  staticMap(
    pluginSources(context.live),
    context.tests.all,
    context.live.plugin.tools.map(({ name }) => name),
    why,
  );
