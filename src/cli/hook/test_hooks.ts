/** `pth hook test`: tests of hooks, each in a project of its own. */
import { relative, resolve } from "node:path";
import { PthError } from "../../core/errors.ts";
import { problemLine } from "../../core/problems.ts";
import { count, formatDuration, indentLines, visibleText } from "../../core/text.ts";
import { definedOnly, groupBy } from "../../core/values.ts";
import { fireHooks, type HookReport } from "../../hooks/fire_hooks.ts";
import { type HookTest, readHookTests } from "../../hooks/format/read_hook_tests.ts";
import { judgeExpectedHooks } from "../../hooks/judge_expected_hooks.ts";
import { type ReadHooks, readHooks } from "../../hooks/read_hooks.ts";
import { hostFolder } from "../../plugin/readable_folder.ts";
import type { HookRunRequest, HookRunResult } from "../../../machines/model/hook_run.ts";
import type { CommandContext, CommandLine } from "../command.ts";
import { textValue } from "../options/option_values.ts";
import { Problems } from "../options/problems.ts";
import { readHookStart, withHookSession } from "./with_hook_session.ts";

interface HookTestResult {
  name: string;
  file: string;
  line: number;
  status: "passed" | "failed" | "skipped";
  /** Reasons of a failure, or of the skip. */
  messages: string[];
  durationMs: number;
  /** Absent of a test that was skipped. */
  report?: HookReport;
}

/** Answers the exit code: 1 where a test failed. @throws {PthError} for tests and hooks that cannot be read; nothing has started then */
export async function testHooks(line: CommandLine, context: CommandContext): Promise<number> {
  const { operands: [, folder, extra], options } = line;
  const problems = new Problems();
  if (folder === undefined) problems.add("name a folder with tests: pth hook test <folder>");
  if (extra !== undefined) problems.add("test takes no event: each test has its own");
  for (const option of ["payload", "tool", "input", "var", "project"]) {
    if (options[option] !== undefined) problems.add(`--${option} is for pth hook fire`);
  }
  problems.throwIfAny("Cannot test hooks");
  const tests = chosenTests(await readHookTests(folder!), textValue(options.grep));
  const results: HookTestResult[] = [];
  for (const [plugin, own] of groupBy(tests, (test) => test.plugin)) {
    const definitions = await readHooks(hostFolder(plugin));
    if (definitions.problems.length > 0) throw brokenHooks(plugin, definitions);
    const start = await readHookStart(line, plugin, context, problems);
    problems.throwIfAny("Cannot test hooks");
    const code = await withHookSession(start, options.load === true, context, async (run) => {
      for (const test of own) results.push(await runTest(test, definitions, run));
      return 0;
    });
    if (code !== 0) return code;
  }
  const passed = results.every(({ status }) => status !== "failed");
  context.stdout.write(
    options.json === true ? `${JSON.stringify({ passed, tests: results }, undefined, 2)}\n` : render(results),
  );
  return passed ? 0 : 1;
}

function chosenTests(tests: readonly HookTest[], pattern: string | undefined): HookTest[] {
  if (pattern === undefined) return [...tests];
  const found = tests.filter(({ name }) => name.toLowerCase().includes(pattern.toLowerCase()));
  if (found.length > 0) return found;
  throw new PthError("NO_TESTS_MATCH", `Cannot test hooks: no test has "${pattern}" in its name`, {
    next: [`The tests are ${tests.map(({ name }) => `"${name}"`).join(", ")}`],
  });
}

const brokenHooks = (plugin: string, { problems }: ReadHooks): PthError =>
  new PthError(
    "INVALID_CONFIG",
    [`Cannot test hooks of ${plugin}: its definitions have mistakes`, ...problems.map(problemLine)].join(
      "\n",
    ),
    { problems, next: ["Correct the places named; no test has run"] },
  );

async function runTest(
  test: HookTest,
  definitions: ReadHooks,
  run: (request: HookRunRequest) => Promise<HookRunResult>,
): Promise<HookTestResult> {
  const { name, line, skip, event, payload, env, files, project } = test;
  const known = { name, file: test.file, line };
  if (skip !== undefined) return { ...known, status: "skipped", messages: [skip], durationMs: 0 };
  const started = performance.now();
  const firing = { event, payload, env, files, ...definedOnly({ project }) };
  const report = await fireHooks(definitions, firing, run);
  const messages = judgeExpectedHooks(test, report);
  return {
    ...known,
    status: messages.length === 0 ? "passed" : "failed",
    messages,
    durationMs: Math.round(performance.now() - started),
    report,
  };
}

const marks = { passed: "✔", failed: "✖", skipped: "-" } as const;

function render(results: readonly HookTestResult[]): string {
  const counted = (status: HookTestResult["status"]) =>
    results.filter((each) => each.status === status).length;
  const skipped = counted("skipped");
  return [
    ...[...groupBy(results, ({ file }) => file)].flatMap(([file, own]) => [
      relative(resolve("."), file) || file,
      ...own.flatMap(({ name, line, status, messages, durationMs }) => [
        `  ${marks[status]} ${name}${status === "skipped" ? "" : `  (${formatDuration(durationMs)})`}`,
        ...messages.map((message) => indentLines(message, "      ")),
        ...(status === "failed" ? [`      at ${relative(resolve("."), file) || file}:${line}`] : []),
      ]),
    ]),
    `${count(results.length, "test")}: ${counted("passed")} passed, ${counted("failed")} failed${
      skipped === 0 ? "" : `, ${skipped} skipped`
    }`,
    "",
  ].map(visibleText).join("\n");
}
