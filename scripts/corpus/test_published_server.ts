/** Runs `pth run` on a published server, in a process of its own and in bounded time. */
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { truncate } from "../../src/core/text.ts";
import { readTextIfExists } from "../../src/platform/files.ts";
import { runCommand } from "../../src/platform/process.ts";
import { readReport } from "../../src/testing/report/read_report.ts";
import type { PublishedServer, ServerResult } from "./corpus_schema.ts";
import { type RunFacts, serverResult } from "./server_result.ts";

export interface CorpusRun extends Pick<RunFacts, "commit" | "date" | "environment"> {
  /** PTH's repository. */
  root: string;
  /** For reports, configurations and plugins that a run needs; exists. */
  folder: string;
  /** After so many seconds a run is interrupted. */
  limit: number;
}

/** What an interrupted run has to tidy up in, in milliseconds. */
const grace = 60_000;

export async function testPublishedServer(server: PublishedServer, run: CorpusRun): Promise<ServerResult> {
  const name = server.package.replaceAll(/[^\w.-]+/g, "-").replace(/^-/, "");
  const reportPath = join(run.folder, `${name}.json`);
  const config = server.config === undefined ? undefined : join(run.folder, `${name}.config.json`);
  if (config !== undefined) await Deno.writeTextFile(config, JSON.stringify(server.config));
  const command = [
    ...[Deno.execPath(), "run", "-A", join(run.root, "src/cli.ts"), "run", await targetOf(server, run, name)],
    ...["--env", run.environment, "--reporter", `json:${reportPath}`],
    ...(config === undefined ? [] : ["--config", config]),
    ...Object.entries(server.variables).flatMap(([key, value]) => ["--var", `${key}=${value}`]),
    ...(server.arguments.length === 0 ? [] : ["--", ...server.arguments]),
  ];
  const started = performance.now();
  const timeout = AbortSignal.timeout(run.limit * 1000);
  // What the corpus runs is no run of the user's plugins.
  const env = { PTH_HISTORY_DIR: join(run.folder, "history") };
  const ended = await runCommand(command, { signal: timeout, grace, env, maxBytes: 20_000 }).then(
    ({ code, stderr }) => `exit code ${code}: ${truncate(stderr.trim(), 2000)}`,
    (error: unknown) => {
      if (!timeout.aborted) throw error;
      return `not at its end after ${run.limit} s`;
    },
  );
  const text = await readTextIfExists(reportPath);
  const result = serverResult(text === undefined ? undefined : readReport(reportPath, text), ended, {
    version: server.version,
    commit: run.commit,
    date: run.date,
    environment: run.environment,
    seconds: Math.round((performance.now() - started) / 1000),
    withoutPaths: withoutPaths([run.folder, run.root, Deno.env.get("PTH_HOME"), homedir(), tmpdir()]),
  });
  return timeout.aborted ? { ...result, error: ended } : result;
}

/** The package; or where that names no program, a plugin whose `.mcp.json` does. */
async function targetOf(server: PublishedServer, { folder }: CorpusRun, name: string): Promise<string> {
  if (server.command === undefined) return `npm:${server.package}@${server.version}`;
  const plugin = join(folder, name);
  await Deno.mkdir(plugin, { recursive: true });
  const manifest = { name, private: true, dependencies: { [server.package]: server.version } };
  await Deno.writeTextFile(join(plugin, "package.json"), JSON.stringify(manifest));
  const command = `./node_modules/${server.package}/${server.command}`;
  const mcp = { mcpServers: { [name]: { command, args: server.arguments } } };
  await Deno.writeTextFile(join(plugin, ".mcp.json"), JSON.stringify(mcp));
  return plugin;
}

/** Replaces paths of this machine, the longest first, by "…". */
export function withoutPaths(paths: readonly (string | undefined)[]): (text: string) => string {
  const known = paths.filter((path) => path !== undefined && path.length > 1)
    .toSorted((a, b) => b!.length - a!.length) as string[];
  return (text) => known.reduce((left, path) => left.replaceAll(path, "…"), text);
}
