/** Measures what tests run of the plugin's code: slots of the machine that runs tests, and agent runs. */
import { join } from "node:path";
import { fromPromise } from "xstate";
import type { CoverageReport } from "../../../machines/model/coverage.ts";
import type { TestResult, TestRunResult } from "../../../machines/model/test_result.ts";
import { madeSources, pluginSources } from "../../actors/session/session_sources.ts";
import type { SessionResources } from "../../actors/session_resources.ts";
import type { AgentRunCommands, SuiteOptions } from "../../api/harness.ts";
import { folderSources } from "../../plugin/plugin_sources.ts";
import { gapsOf } from "../../testing/coverage/gaps.ts";
import { latestMap, type MeasuredSuite } from "../../testing/coverage/measured_suite.ts";
import { impactMapOf, reportOf } from "../../testing/coverage/report_of.ts";
import { loadedPlugin, type SessionParts } from "../session/session_parts.ts";
import { readMap } from "./coverage_commands.ts";

export const measureSteps = (contextOf: () => SessionParts) => ({
  instrument: fromPromise<boolean, { suite: SuiteOptions }>(({ input: { suite } }) => {
    const context = contextOf();
    const { live } = context;
    if (typeof suite.workers === "number" && suite.workers > 1) {
      live.progress.note(
        "The tests run on one server, so that what runs during a test is that test's (coverage).",
      );
    }
    // Where there is a problem it was tried with this server already.
    return Promise.resolve(
      live.coverage.run === undefined && loadedPlugin(context) !== undefined &&
        live.coverage.problem === undefined,
    );
  }),
  measure: fromPromise<void, void>(async () => {
    const context = contextOf();
    const { live } = context;
    const unmeasured = live.coverage.run === undefined && loadedPlugin(context) !== undefined;
    if (unmeasured && live.coverage.problem !== undefined) {
      live.progress.note(`Coverage is not measured: ${live.coverage.problem}`);
    }
    await live.coverage.run?.mark();
  }),
  readCoverage: fromPromise<void, TestRunResult>(({ input: { results } }) => keep(contextOf(), results)),
});

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
