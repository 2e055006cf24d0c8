/** `pth hook test`: tests of hooks, each in a project of its own. */
import { relative, resolve } from "node:path";
import { asPthError, errorMessage, PthError } from "../../core/errors.ts";
import { problemLine } from "../../core/problems.ts";
import { definedOnly, groupBy } from "../../core/values.ts";
import { ciHookReport, type HookTestResult, untestedLines } from "../../hooks/ci_hook_report.ts";
import { fireHooks } from "../../hooks/fire_hooks.ts";
import { type HookTest, readHookTests } from "../../hooks/format/read_hook_tests.ts";
import { type HookServers, hookServers } from "../../hooks/hook_servers.ts";
import { judgeExpectedHooks } from "../../hooks/judge_expected_hooks.ts";
import { type ReadHooks, readHooks } from "../../hooks/read_hooks.ts";
import { hostFolder } from "../../plugin/readable_folder.ts";
import { flakinessOf } from "../../testing/run/flakiness.ts";
import { demandDigest, openTestHistory, pastRuns, type TestHistory } from "../../testing/run/test_history.ts";
import { chooseListedTests } from "../../testing/run/choose_listed_tests.ts";
import type { CommandContext, CommandLine } from "../command.ts";
import { Problems } from "../options/problems.ts";
import type { StartRequest } from "../options/start_options.ts";
import { writeReport } from "../write_report.ts";
import { hookTestLines } from "./hook_test_lines.ts";
import { type HookTestOptions, readHookTestOptions } from "./hook_test_options.ts";
import { type HookSession, readHookStart, withHookSession } from "./with_hook_session.ts";

/** Tests of the hooks of one plugin. */
interface HookSuite {
  plugin: string;
  definitions: ReadHooks;
  servers: HookServers;
  start: StartRequest;
  history: TestHistory;
  tests: HookTest[];
}

/**
 * Exits with 0 where all tests that were to run passed, 1 where one did not or none ran, 130 or 143 once interrupted.
 * @throws {PthError} for options, tests and hooks that are wrong, before anything starts; for an environment that fails, after
 * what ran is told
 */
export async function testHooks(line: CommandLine, context: CommandContext): Promise<number> {
  const problems = new Problems();
  const options = await readHookTestOptions(line, problems);
  problems.throwIfAny("Cannot test hooks");
  const { suites, chosen, notes } = await planSuites(line, options, context);
  for (const note of notes) context.stderr.write(`${note}\n`);
  const startedAt = Date.now();
  const started = performance.now();
  const ran = new Map<HookTest, HookTestResult>();
  const ended = await runSuites(suites, options, line.options.load === true, context, ran);
  const stopped = ended.error === undefined && ended.code === 0
    ? `the run was to stop after ${options.suite.bail} failed`
    : "the run ended before it";
  const results = chosen.map((test) => ran.get(test) ?? skipped(test, test.skip ?? stopped));
  for (const suite of suites) await keepHistory(suite, ran, context);
  const exitCode = ended.error?.exitCode ?? (ended.code === 0 ? codeOf(results) : ended.code);
  const report = () =>
    ciHookReport({
      plugins: suites.map(({ plugin }) => plugin),
      results,
      startedAt,
      durationMs: Math.round(performance.now() - started),
      notes: [...notes, ...untestedLines(results)],
      exitCode,
      ...definedOnly({
        shard: options.suite.shard,
        error: ended.error && { code: ended.error.code, message: ended.error.message },
      }),
    });
  if (options.json) {
    const passed = exitCode === 0;
    context.stdout.write(`${JSON.stringify({ passed, tests: results }, undefined, 2)}\n`);
  } else if (options.reporters.every(({ file }) => file !== undefined)) {
    context.stdout.write(hookTestLines(results));
  }
  await writeReport(report(), options.reporters, context);
  if (ended.error !== undefined) throw ended.error;
  return exitCode;
}

/** Tests in their order, by plugins; what is wrong with any of it is told before something starts. */
async function planSuites(line: CommandLine, { folder, suite }: HookTestOptions, context: CommandContext) {
  const problems = new Problems();
  const all = await readHookTests(folder);
  const histories = new Map<string, TestHistory>();
  for (const plugin of new Set(all.map((test) => test.plugin))) {
    histories.set(
      plugin,
      await openTestHistory({ name: "hooks", key: `hook-tests\0${plugin}`, folder: plugin }),
    );
  }
  const failed = new Map([...histories].map(([plugin, history]) => [plugin, history.lastFailed()]));
  const { tests, notes } = chooseListedTests(
    all.map((test) => ({
      test,
      names: [test.name] as const,
      tags: [],
      failedLast: failed.get(test.plugin)?.includes(idOf(test)),
    })),
    suite,
    { owners: "files", hint: "A file has a list of tests" },
  );
  const chosen = tests.map(({ test }) => test);
  const suites: HookSuite[] = [];
  for (const [plugin, own] of groupBy(chosen, (test) => test.plugin)) {
    const definitions = await readHooks(hostFolder(plugin));
    if (definitions.problems.length > 0) throw brokenHooks(plugin, definitions);
    const start = await readHookStart(line, plugin, context, problems);
    const servers = await hookServers(hostFolder(plugin), definitions);
    suites.push({ plugin, definitions, servers, start, history: histories.get(plugin)!, tests: own });
  }
  problems.throwIfAny("Cannot test hooks");
  return { suites, chosen, notes };
}

const brokenHooks = (plugin: string, { problems }: ReadHooks): PthError =>
  new PthError(
    "INVALID_CONFIG",
    [`Cannot test hooks of ${plugin}: its definitions have mistakes`, ...problems.map(problemLine)].join(
      "\n",
    ),
    { problems, next: ["Correct the places named; no test has run"] },
  );

/**
 * Runs the tests of each plugin in an environment of its own.
 * @param ran Takes each result as it comes, so that those before an error or an interruption are told
 * @returns the code of an interruption, or 0
 */
async function runSuites(
  suites: readonly HookSuite[],
  { suite: { retries = 0, bail = Infinity } }: HookTestOptions,
  load: boolean,
  context: CommandContext,
  ran: Map<HookTest, HookTestResult>,
): Promise<{ code: number; error?: PthError }> {
  const isEnough = () => [...ran.values()].filter(({ status }) => status === "failed").length >= bail;
  for (const suite of suites) {
    const tests = suite.tests.filter(({ skip }) => skip === undefined);
    if (tests.length === 0 || isEnough()) continue;
    try {
      const code = await withHookSession(suite.start, load, context, async ({ run, server }) => {
        const servers = { ...suite.servers, ...definedOnly({ running: server }) };
        for (const test of tests) {
          if (isEnough()) break;
          ran.set(test, await runTest(test, suite, retries, { run, servers }));
        }
        return 0;
      });
      if (code !== 0) return { code };
    } catch (error) {
      return { code: 0, error: asPthError(error, "Cannot test hooks") };
    }
  }
  return { code: 0 };
}

/** Path below the plugin and name: unique, and the same wherever the plugin lies. */
const idOf = ({ plugin, file, name }: HookTest): string =>
  `${relative(plugin, file).replaceAll("\\", "/")}: ${name}`;

const knownOf = (test: HookTest) => ({
  id: idOf(test),
  name: test.name,
  file: test.file,
  shownFile: relative(resolve("."), test.file) || test.file,
  line: test.line,
});

const skipped = (test: HookTest, reason: string): HookTestResult => ({
  ...knownOf(test),
  status: "skipped",
  messages: [reason],
  durationMs: 0,
});

async function runTest(
  test: HookTest,
  { definitions, history }: HookSuite,
  retries: number,
  { run, servers }: { run: HookSession["run"]; servers: HookServers },
): Promise<HookTestResult> {
  const { event, payload, env, files, project } = test;
  const firing = { event, payload, env, files, ...definedOnly({ project }) };
  const startedAt = Date.now();
  let first: string[] | undefined;
  for (let attempts = 1;; attempts++) {
    const started = performance.now();
    const report = await fireHooks(definitions, firing, run, servers);
    const messages = judgeExpectedHooks(test, report);
    first ??= messages;
    const failed = messages.length > 0;
    if (failed && attempts <= retries) continue;
    const now = { runs: attempts, failures: failed ? attempts : attempts - 1 };
    const known = pastRuns(history, idOf(test), "", digestOf(test));
    return {
      ...knownOf(test),
      status: failed ? "failed" : attempts > 1 ? "flaky" : "passed",
      messages: failed ? messages : first,
      startedAt,
      durationMs: Math.round(performance.now() - started),
      ...(attempts === 1 ? {} : { flakiness: flakinessOf(now, known) }),
      report,
    };
  }
}

/** A part of a suite may be empty; tests of which none ran prove nothing. */
const codeOf = (results: readonly HookTestResult[]): number => {
  const ran = results.filter(({ status }) => status !== "skipped");
  return ran.some(({ status }) => status === "failed") || (ran.length === 0 && results.length > 0) ? 1 : 0;
};

function digestOf(test: HookTest): string {
  const { file: _file, line: _line, column: _column, plugin: _plugin, ...demands } = test;
  return demandDigest(demands);
}

/** Keeps what the tests came to; results stay valid where that fails. */
async function keepHistory(
  { history, tests }: HookSuite,
  ran: ReadonlyMap<HookTest, HookTestResult>,
  { stderr }: CommandContext,
): Promise<void> {
  const outcomes = tests.flatMap((test) => {
    const result = ran.get(test);
    if (result === undefined) return [];
    const { attempts: runs, failures } = result.flakiness ??
      { attempts: 1, failures: result.status === "failed" ? 1 : 0 };
    return [{ id: result.id, digest: digestOf(test), runs, failures }];
  });
  if (outcomes.length === 0) return;
  try {
    await history.add({ at: Date.now(), source: "", outcomes });
  } catch (error) {
    stderr.write(`The history of tests of hooks was not written: ${errorMessage(error)}\n`);
  }
}
