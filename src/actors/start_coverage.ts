/** Measures a server from its next start on, where its platform and its environment allow it (PTH design §5.3). */
import { join } from "node:path";
import type { PluginPlan } from "../../machines/model/plugin.ts";
import { CoverageRun } from "../testing/coverage/coverage_run.ts";
import { registry } from "../testing/coverage/collectors/_registry.ts";
import type { LiveSession } from "./live_session.ts";

/** Beside the source, so that the environment sees it; git does not. */
const folderName = ".pth-coverage";

/** Undefined where nothing can be measured; why is noted. */
export async function startCoverage(live: LiveSession, plan: PluginPlan): Promise<CoverageRun | undefined> {
  live.coverageProblem = undefined;
  if (!live.coverageWanted) return undefined;
  const { runtime, info } = live.requireEnvironment();
  const { worktree, subfolder, source } = live.source!;
  const { sourcePath } = info.handle;
  const name = `${folderName}/${++live.coverageRuns}`;
  const site = {
    folder: { host: join(worktree, name), inside: `${sourcePath}/${name}` },
    plugin: { host: join(worktree, subfolder), inside: plan.folder },
    source,
    isolated: runtime.abilities.isolated,
    exec: (command: string[], { cwd, timeoutMs = 60_000 }: { cwd?: string; timeoutMs?: number } = {}) =>
      runtime.exec(info.handle, command, {
        ...(cwd === undefined ? {} : { cwd }),
        signal: AbortSignal.timeout(timeoutMs),
      }),
  };
  const run = await CoverageRun.start(site, plan, registry);
  const seen = await runtime.exec(info.handle, ["test", "-d", `${site.folder.inside}/cue`]);
  const reason = seen.code !== 0
    ? "the environment does not see the files of the host"
    : run.collectors.length === 0
    ? [
      ...run.notes,
      `nothing measures ${plan.server.command?.join(" ") ?? "a server that runs elsewhere"}`,
    ][0]!
    : undefined;
  if (reason === undefined) return run;
  live.coverageProblem = reason;
  await run.close();
  return undefined;
}
