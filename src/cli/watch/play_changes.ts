/** One round of `--watch`: takes the changes in, and runs the tests that they reach. */
import { isAbsolute } from "node:path";
import type { RequestOptions, Session, SuiteOptions } from "../../api/harness.ts";
import { defaultTestFolder } from "../../testing/format/test_folders.ts";
import { definedOnly } from "../../core/values.ts";
import type { SuiteRequest } from "../options/suite_options.ts";
import type { WatchKey } from "./wait_for_cause.ts";
import type { SuiteSummary, TestResult } from "../../../machines/model/test_result.ts";
import { count, countedTail, formatDuration, indentLines, plainLine, stripEscapes } from "../../core/text.ts";

/** State that is kept from round to round. */
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
  watch.say(changeLine(paths));
  await takeIn(watch, paths);
  await run(watch, await affectedTests(watch.session, [...watch.sources], [...watch.edited]));
}

export async function playKey(watch: Watch, key: WatchKey): Promise<void> {
  const { results } = watch.session.tests.results({ status: "failed" });
  watch.say(keyLine(key));
  if (watch.sources.size > 0) await load(watch);
  await run(watch, key === "f" ? { ids: results.map(({ id }) => id), why: "failed before" } : { why: "all" });
}

/** Heads a round for files that changed. */
export function changeLine(paths: readonly string[]): string {
  const more = paths.length > 3 ? ` and ${paths.length - 3} more` : "";
  return `\n${time()}  changed: ${paths.slice(0, 3).join(", ")}${more}`;
}

/** Heads a round for a key. */
export const keyLine = (key: WatchKey): string => `\n${time()}  ${key === "f" ? "what failed" : "all"}`;

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
  await session.tests.generate(definedOnly({ includeHeldBack, maxTests }), options);
}

async function run(
  { session, request, options, say, sources, edited }: Watch,
  affected: Affected,
): Promise<void> {
  // The first run was told which part of the suite it is about; a round knows better which tests it needs.
  const { lastFailed: _last, shard: _part, ...suite }: SuiteOptions = request.suite;
  const wanted = new Set(affected.ids);
  const own = session.tests.list().filter((test) => test.own !== undefined).map(({ id }) => id);
  const others = session.tests.list(suite).filter((test) => test.own === undefined).map(({ id }) => id);
  const ids = [...others, ...own].filter((id) => affected.ids === undefined || wanted.has(id));
  sources.clear();
  edited.clear();
  if (ids.length === 0) return say("  no test to run: the change affects none");
  say(`  ${count(ids.length, "test")}: ${affected.why}`);
  const { summary, results } = await session.tests.runSuite({ ...suite, ids }, options);
  say(resultsBlock(summary, results));
}

const failuresShown = 10;
const linesShown = 6;

export function resultsBlock(summary: SuiteSummary, results: readonly TestResult[]): string {
  const { passed, failed, skipped, flaky, durationMs } = summary;
  const counts = [
    `${passed} passed`,
    `${failed} failed`,
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
    ...(flaky > 0 ? [`${flaky} flaky`] : []),
  ];
  const bad = results.filter(({ status }) => status === "failed" || status === "flaky");
  const more = bad.length > failuresShown ? [`  … and ${bad.length - failuresShown} more`] : [];
  return [
    ...bad.slice(0, failuresShown).map(failure),
    ...more,
    `  ${failed === 0 ? "✓" : "✗"} ${counts.join(", ")} in ${formatDuration(durationMs)}`,
  ].join("\n");
}

function failure({ name, status, message, note }: TestResult): string {
  const head = `  ${status === "flaky" ? "~" : "✗"} ${plainLine(name)}`;
  const words = status === "flaky" ? note : message;
  return words === undefined
    ? head
    : `${head}\n${indentLines(countedTail(stripEscapes(words), linesShown), "      ")}`;
}

interface Affected {
  /** Undefined for all. */
  ids?: string[];
  /** In words, for the person who watches. */
  why: string;
}

type ReadSession = Pick<Session, "tests" | "coverage" | "report">;

/**
 * Tests whose own files changed, those that the changed source reaches, and those that did not run yet.
 * @param edited ids of tests whose files changed
 */
export async function affectedTests(
  session: ReadSession,
  sources: readonly string[],
  edited: readonly string[],
): Promise<Affected> {
  const ran = new Set(session.tests.results().results.map(({ id }) => id));
  const fresh = session.tests.list().map(({ id }) => id).filter((id) => !ran.has(id));
  if (sources.length === 0) return { ids: [...edited, ...fresh], why: "changed or new" };
  // Nothing is known of what own tests reach: they run after each change.
  const own = session.tests.list().filter((test) => test.own !== undefined).map(({ id }) => id);
  // What was measured knows lines: it is asked what differs from it. Of other files only their names are known.
  const { impact: map } = session.report();
  const measured = map?.source === "measured" ? map.functions ?? {} : undefined;
  const others = sources.filter((path) => measured?.[path] === undefined).map((path) => ({ path }));
  const impacts = [
    ...(measured === undefined ? [] : [await session.coverage.impact({})]),
    ...(others.length === 0 ? [] : [await session.coverage.impact({ files: others })]),
  ];
  const strangers = [...new Set(impacts.flatMap(({ unknown }) => unknown))];
  if (strangers.length > 0) {
    return { why: `all, since it is unknown which tests need ${strangers.slice(0, 3).join(", ")}` };
  }
  const how = measured === undefined ? "according to the source" : "according to coverage";
  const reached = new Set(impacts.flatMap(({ tests }) => tests));
  return { ids: [...reached, ...edited, ...fresh, ...own], why: `affected by the change, ${how}` };
}
