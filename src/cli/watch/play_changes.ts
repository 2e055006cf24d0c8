/** One round of `--watch`: takes the changes in, and runs the tests that they reach. */
import { isAbsolute } from "node:path";
import type { RequestOptions, Session, SuiteOptions } from "../../api/harness.ts";
import { defaultTestFolder } from "../../testing/format/load.ts";
import { count, definedOnly } from "../../core/values.ts";
import type { SuiteRequest } from "../options/suite_options.ts";
import { type Affected, affectedTests } from "./affected_tests.ts";
import { resultsBlock } from "./results_block.ts";
import type { WatchKey } from "./wait_for_cause.ts";

/** What rounds hand on to each other. */
export interface Watch {
  session: Session;
  request: SuiteRequest;
  options: RequestOptions;
  say(line: string): void;
  /** Source that changed and did not run yet, as where a build failed. */
  sources: Set<string>;
  /** Ids of tests whose files changed and that did not run yet. */
  edited: Set<string>;
}

/** @throws {PthError} what building, starting or reading tests fails with; the next round goes on from there */
export async function playChanges(watch: Watch, paths: readonly string[]): Promise<void> {
  const more = paths.length > 3 ? ` and ${paths.length - 3} more` : "";
  watch.say(`\n${time()}  changed: ${paths.slice(0, 3).join(", ")}${more}`);
  await takeIn(watch, paths);
  await run(watch, await affectedTests(watch.session, [...watch.sources], [...watch.edited]));
}

export async function playKey(watch: Watch, key: WatchKey): Promise<void> {
  const { results } = watch.session.tests.results({ status: "failed" });
  watch.say(`\n${time()}  ${key === "f" ? "what failed" : "all"}`);
  if (watch.sources.size > 0) await load(watch);
  await run(watch, key === "f" ? { ids: results.map(({ id }) => id), why: "failed before" } : { why: "all" });
}

const time = (): string => new Date().toTimeString().slice(0, 8);

async function takeIn(watch: Watch, paths: readonly string[]): Promise<void> {
  const { session, request, sources, edited } = watch;
  const own = paths.filter((path) => !isAbsolute(path));
  for (const path of own) if (!path.startsWith(`${defaultTestFolder}/`)) sources.add(path);
  const { tests } = await session.plugin.takeChanges(own);
  for (const id of tests) edited.add(id);
  if (request.testsPath !== undefined && own.length < paths.length) {
    const all = await session.tests.use(request.testsPath);
    for (const { id, file } of all) if (file && paths.some((path) => path.endsWith(file))) edited.add(id);
  }
  if (sources.size > 0) await load(watch);
}

/** Builds what changed and starts it; tests for new tools come along. */
async function load({ session, request, options }: Watch): Promise<void> {
  await session.plugin.reload(options);
  const { includeHeldBack, maxTests } = request;
  if (request.testsPath !== undefined) return;
  await session.tests.generate({ includeHeldBack, ...definedOnly({ maxTests }) }, options);
}

async function run(
  { session, request, options, say, sources, edited }: Watch,
  affected: Affected,
): Promise<void> {
  // The first run was told which part of the suite it is about; a round knows better which tests it needs.
  const { lastFailed: _last, shard: _part, ...suite }: SuiteOptions = request.suite;
  const wanted = new Set(affected.ids);
  const ids = session.tests.list(suite).map(({ id }) => id).filter((id) =>
    affected.ids === undefined || wanted.has(id)
  );
  sources.clear();
  edited.clear();
  if (ids.length === 0) return say("  no test to run: none is reached by the change");
  say(`  ${count(ids.length, "test")}: ${affected.why}`);
  const { summary, results } = await session.tests.runSuite({ ...suite, ids }, options);
  say(resultsBlock(summary, results));
}
