/** Runs `pth run` on a published server, in a process of its own and in bounded time. */
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { truncate } from "../../src/core/text.ts";
import { readTextIfExists, removeIfExists } from "../../src/platform/files.ts";
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

/** Time in ms that an interrupted run has to tidy up. */
const grace = 60_000;

export async function testPublishedServer(server: PublishedServer, run: CorpusRun): Promise<ServerResult> {
  const name = server.package.replaceAll(/[^\w.-]+/g, "-").replace(/^-/, "");
  const reportPath = join(run.folder, `${name}.json`);
  await removeIfExists(reportPath);
  const config = server.config === undefined ? undefined : join(run.folder, `${name}.config.json`);
  if (config !== undefined) await Deno.writeTextFile(config, JSON.stringify(server.config));
  if (server.command !== undefined) await writeCarrier(server, server.command, join(run.folder, name));
  const words = wordsOfRun(server, {
    plugin: join(run.folder, name),
    environment: run.environment,
    reportPath,
    config,
  });
  const command = [Deno.execPath(), "run", "-A", join(run.root, "src/cli.ts"), ...words];
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

export interface PlaceOfRun {
  /** Folder of the plugin that starts a package's program, for a package that names none. */
  plugin: string;
  environment: string;
  reportPath: string;
  config: string | undefined;
}

/** Words of the command line behind `pth`. */
export function wordsOfRun(
  { package: name, version, command, arguments: args, variables }: PublishedServer,
  { plugin, environment, reportPath, config }: PlaceOfRun,
): string[] {
  return [
    ...["run", command === undefined ? `npm:${name}@${version}` : plugin],
    ...["--env", environment, "--reporter", `json:${reportPath}`],
    ...(config === undefined ? [] : ["--config", config]),
    ...Object.entries(variables).flatMap(([key, value]) => ["--var", `${key}=${value}`]),
    // A plugin's manifest has its arguments.
    ...(command !== undefined || args.length === 0 ? [] : ["--", ...args]),
  ];
}

/** Writes a plugin that depends on the package and starts the program in it. */
async function writeCarrier(server: PublishedServer, program: string, folder: string): Promise<void> {
  await Deno.mkdir(folder, { recursive: true });
  const manifest = {
    name: "corpus-carrier",
    private: true,
    dependencies: { [server.package]: server.version },
  };
  await Deno.writeTextFile(join(folder, "package.json"), JSON.stringify(manifest));
  const command = `./node_modules/${server.package}/${program}`;
  const mcp = { mcpServers: { server: { command, args: server.arguments } } };
  await Deno.writeTextFile(join(folder, ".mcp.json"), JSON.stringify(mcp));
}

/** Replaces paths of this machine, the longest first, by "…". */
export function withoutPaths(paths: readonly (string | undefined)[]): (text: string) => string {
  const known = paths.filter((path) => path !== undefined && path.length > 1)
    .toSorted((a, b) => b!.length - a!.length) as string[];
  return (text) => known.reduce((left, path) => left.replaceAll(path, "…"), text);
}
