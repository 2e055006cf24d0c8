import type { ProjectTest } from "../../../machines/model/project_test.ts";
import { shellWord } from "../../core/shell_word.ts";
import { isObject } from "../../core/values.ts";
import { assetText } from "../../platform/asset_text.ts";
import { findFiles } from "../count_files.ts";
import { defineFramework, type PlanPlace, type TestProject } from "../framework.ts";
import { asScript, fileRunBy, programName, type ToolStart, toolStarts } from "../javascript/npm_scripts.ts";
import { flagsIn, type ShellWord } from "../javascript/shell_words.ts";
import { eventsVariable, reportedEvents, unnumbered } from "../readers/reported_events.ts";
import { functionsToTrace, pathWithin } from "../stack_frames.ts";
import { filesOfLevel } from "../test_levels.ts";

/** Files that `node --test` takes by itself; those of TypeScript only newer versions. */
const testFile = /(?:^|\/)(?:test\/.*|(?:.*[._-])?test|test-[^/]*)\.(?:[cm]?[jt]s)$/;
const importsIt = /(?:from|import|require\()\s*\(?["']node:test["']/;
const mostRead = 40;
const valueFlags =
  /^(?:-r|-C|--require|--import|--loader|--experimental-loader|--env-file|--conditions|--test-[\w-]+)$/;

/** Words that start the runner, and its options, for reruns. */
const flagsOf = new WeakMap<TestProject, { program: string[]; flags: string[] }>();

export default defineFramework({
  name: "node:test",
  summary:
    "runs Node's own test runner as the script `test` does, with a reporter of its own beside the one that " +
    "prints; tells a file whose process a test has left",
  language: "javascript",
  buildSystem: "npm",
  detectedBy: "a script that runs Node's test runner, or tests that import `node:test`",
  needs: () => ["node"],
  async detect({ folder }) {
    if ((await startsOf(folder)).length > 0) {
      return { confidence: 95, reason: "a script of package.json runs Node's test runner" };
    }
    const using = await firstUsing(folder);
    return using === undefined ? undefined : { confidence: 75, reason: `${using} imports node:test` };
  },
  async plan(project, place) {
    const { folder, request: { level, test } } = project;
    const ofLevel = level === undefined ? [] : await startsOf(folder, level);
    const all = ofLevel.length > 0 ? ofLevel : await startsOf(folder);
    const starts = all.length > 0 ? all : [{ script: "", before: [], head: "node", args: words("--test") }];
    const files = level !== undefined && ofLevel.length === 0
      ? filesOfLevel(await findFiles(folder, testFile), level)
      : undefined;
    const { head, args } = starts[0]!;
    const flags = flagsIn(args, valueFlags).map(({ text }) => text);
    flagsOf.set(project, {
      program: head.endsWith("node") ? ["node"] : ["npx", programName(head.split(" ").at(-1)!)],
      flags: flags.filter((flag) => !/^--(?:test|experimental-test|watch)\b/.test(flag)),
    });
    return {
      files: {
        "reporter.mjs": assetText("project_tests/node_test_reporter.mjs"),
        "exit.cjs": assetText("project_tests/node_test_exit.cjs"),
      },
      preparation: [...new Set(starts.flatMap(({ before }) => before))].map((line) => asScript(line)),
      runs: starts.map((start) =>
        asScript(commandOf(start, place, test, files), { [eventsVariable]: place.events })
      ),
    };
  },
  reader: (project) =>
    reportedEvents(project, { ...onlyTest(project.request.test), translate: fileEvents(project.root) }),
  rerun(test, project) {
    const { program, flags } = flagsOf.get(project) ?? { program: ["node"], flags: [] };
    const file = test.suite === undefined ? [] : [test.suite];
    const pattern = test.name === test.suite ? [] : [`--test-name-pattern=${patternOf(test.name)}`];
    return { argv: [...program, ...flags, "--test", ...pattern, ...file] };
  },
  suggestTraces: ({ stack }: ProjectTest) => functionsToTrace(stack),
  runnerThreads: "node",
  async withoutTests({ folder }) {
    const testFiles = (await findFiles(folder, testFile)).length;
    return {
      language: "javascript",
      buildSystem: "npm",
      testFiles,
      hint: 'No tests found. Write test/first.test.js: import test from "node:test"; ' +
        'import assert from "node:assert"; test("adds", () => assert.equal(1 + 1, 2));',
    };
  },
});

const words = (...texts: string[]): ShellWord[] => texts.map((text) => ({ raw: text, text }));

/** Starts of `node --test`, or of `node` with a file that imports it. */
async function startsOf(folder: TestProject["folder"], level?: TestProject["request"]["level"]) {
  const starts = await toolStarts(
    folder,
    ([program = "", ...rest]) => isNode(program) && rest.length > 0,
    level,
  );
  const found: ToolStart[] = [];
  for (const start of starts) {
    const texts = start.args.map(({ text }) => text);
    if (texts.includes("--test")) found.push(start);
    else if (importsIt.test(await fileRunBy(start, folder) ?? "")) found.push(start);
  }
  return found;
}

const isNode = (program: string) => /^(?:node|tsx)$/.test(programName(program));

async function firstUsing(folder: TestProject["folder"]): Promise<string | undefined> {
  for (const path of (await findFiles(folder, testFile)).slice(0, mostRead)) {
    if (importsIt.test(await folder.read(path) ?? "")) return path;
  }
  return undefined;
}

/** The start as its author wrote it, with two reporters: PTH's, and the one that would print anyway. */
function commandOf(
  { head, args }: ToolStart,
  { scratch }: PlanPlace,
  test?: string,
  files?: readonly string[],
) {
  const own = [
    `--require=${scratch}/exit.cjs`,
    `--test-reporter=${scratch}/reporter.mjs`,
    "--test-reporter-destination=stdout",
    ...(test === undefined ? [] : [`--test-name-pattern=${patternOf(test)}`]),
  ];
  const texts = args.map(({ text }) => text);
  const has = (flag: string) => texts.some((text) => text === flag || text.startsWith(`${flag}=`));
  if (!has("--test-reporter")) own.push("--test-reporter=spec");
  // A single reporter needs no destination, and two need two.
  if (!has("--test-reporter-destination")) own.push("--test-reporter-destination=stdout");
  const rest = files === undefined ? args.map(({ raw }) => raw) : [
    ...flagsIn(args, valueFlags).map(({ raw }) => raw),
    ...files.map(shellWord),
  ];
  return [head, ...own.map(shellWord), ...rest].join(" ");
}

/**
 * Pattern for a test. Older versions compare it with the last title, newer ones with all of them in a row; a subtest of
 * a test runs with that.
 */
function patternOf(name: string): string {
  const titles = unnumbered(name).split(" >> ")[0]!.split(" > ");
  const ways = [...new Set([titles.join(" "), titles.at(-1)!])].map(escapePattern);
  return ways.length === 1 ? `^${ways[0]}$` : `^(?:${ways.join("|")})$`;
}

const escapePattern = (text: string) =>
  text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&").replaceAll("\n", "\\n").replaceAll("\r", "\\r");

/** Others of the same last title run, too, with older versions. */
function onlyTest(asked: string | undefined) {
  if (asked === undefined) return {};
  const wanted = unnumbered(asked);
  return {
    drops: (name: string) =>
      name !== wanted && !name.startsWith(`${wanted} >> `) && !wanted.startsWith(`${name} >> `),
  };
}

/** Turns what is said of whole files into what all reporters say. */
function fileEvents(root: string) {
  const left = new Set<unknown>();
  const fileTest = (suite: unknown) => ({ name: pathWithin(String(suite), root), suite });
  return (line: Record<string, unknown>): Record<string, unknown> | undefined => {
    const { type, suite } = line;
    if (type === "left") {
      left.add(suite);
      return undefined;
    }
    const reason = "A test left the process with exit code 0, and the tests of the file say no more";
    if (type === "file_passed") {
      if (left.has(suite)) return { type: "suite_ended", suite, complete: false, reason };
      return { type: "finished", test: fileTest(suite), outcome: { status: "passed" } };
    }
    if (isObject(line.test) && line.test.name === line.test.suite) {
      return { ...line, test: fileTest(line.test.suite) };
    }
    if (type === "suite_ended" && left.has(suite)) return { ...line, complete: false, reason };
    return line;
  };
}
