/** Keeps what tests ran of the plugin's code: the report of a measured suite, and what its tests reach. */
import { join } from "node:path";
import type { CoverageReport } from "../../../machines/model/coverage.ts";
import type { TestResult } from "../../../machines/model/test_result.ts";
import { madeSources, pluginSources } from "../../actors/session/session_sources.ts";
import type { SessionResources } from "../../actors/session_resources.ts";
import { folderSources } from "../../plugin/plugin_sources.ts";
import { gapsOf } from "../../testing/coverage/gaps.ts";
import { latestMap, type MeasuredSuite } from "../../testing/coverage/measured_suite.ts";
import { impactMapOf, reportOf } from "../../testing/coverage/report_of.ts";
import type { SessionParts } from "../session/session_parts.ts";
import { readMap } from "./coverage_commands.ts";

/** Reads what was measured while source and server are still the same. */
export async function keepMeasurements(context: SessionParts, results: readonly TestResult[]): Promise<void> {
  const { live } = context;
  const run = live.coverage.run!;
  const measured = await run.read();
  const ran = new Set([
    ...results.filter(({ status }) => status !== "skipped").map(({ id }) => id),
    ...measured.reach.keys(),
  ]);
  const ids = context.tests.all.map(({ id }) => id).filter((id) => ran.has(id));
  const report = reportOf(run.collectors, measured);
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
