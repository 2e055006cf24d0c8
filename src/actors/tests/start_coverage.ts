/** Measures a server from its next start on, where its platform and its environment allow it. */
import type { PluginPlan } from "../../../machines/model/plugin.ts";
import type { CoverageSite } from "../../testing/coverage/collector.ts";
import type { CoverageRun } from "../../testing/coverage/coverage_run.ts";
import type { SessionResources } from "../session_resources.ts";

/** Folder next to the environment's copy of the source: an agent may read and write the same files as a server. */
const folderName = ".pth-coverage";

/** Undefined where nothing can be measured; why is noted. */
export async function startCoverage(
  live: SessionResources,
  plan: PluginPlan,
  wanted: boolean,
): Promise<CoverageRun | undefined> {
  live.coverage.problem = undefined;
  if (!wanted) return undefined;
  const [{ CoverageRun }, { registry }] = await Promise.all([
    import("../../testing/coverage/coverage_run.ts"),
    import("../../testing/coverage/collectors/_registry.ts"),
  ]);
  const { runtime, info: { handle } } = live.environment.require();
  // A rollback gives the environment another one.
  const current = () => live.environment.current?.info.handle ?? handle;
  const site: CoverageSite = {
    folder: `${handle.sourcePath}/${folderName}/${live.coverage.nextRun()}`,
    plugin: plan.folder,
    source: live.code.source!.source,
    isolated: runtime.abilities.isolated,
    exec: (command, { timeoutMs = 60_000, ...options } = {}) =>
      runtime.exec(current(), command, { signal: AbortSignal.timeout(timeoutMs), ...options }),
    spawn: (command) => runtime.spawn(current(), command),
  };
  const run = await CoverageRun.start(site, plan, registry);
  if (run.collectors.length > 0) return run;
  live.coverage.problem = run.notes[0] ??
    `nothing measures ${plan.server.command?.join(" ") ?? "a server that runs elsewhere"}`;
  await run.close();
  return undefined;
}
