import { evaluate, parse } from "@humanwhocodes/momoa";
import { shellWord } from "../../core/shell_word.ts";
import { isObject } from "../../core/values.ts";
import type { ReadableFolder } from "../../plugin/readable_folder.ts";
import { findFiles } from "../count_files.ts";
import { defineFramework, type TestProject } from "../framework.ts";
import {
  asScript,
  programName,
  startsInScripts,
  type ToolStart,
  toolStarts,
} from "../javascript/npm_scripts.ts";
import { flagsIn, type ShellWord } from "../javascript/shell_words.ts";
import { denoReader } from "../readers/deno_reader.ts";
import { unnumbered } from "../readers/reported_events.ts";
import { functionsToTrace } from "../stack_frames.ts";
import { filesOfLevel } from "../test_levels.ts";

const testFile = /(?:^|\/)__tests__\/.*\.[cm]?[jt]sx?$|(?:^|[/._])test\.[cm]?[jt]sx?$/;
const importsIt =
  /\bDeno\s*\.\s*test\b|["'](?:jsr:)?@std\/testing\b|["']https:\/\/deno\.land\/std[^"']*\/testing\//;
/** Object of Deno that has its function for tests. */
const api = "Deno";
const configs = ["deno.json", "deno.jsonc"];
const mostRead = 40;
/** Options that are PTH's own to choose. */
const replaced = /^--(?:reporter|junit-path|watch|filter|coverage-raw-data-only)\b/;
const valueFlags = /^(?:-c|--config|--import-map|--lock|--preload|--require|--ext|--env-file|--seed)$/;

/** Options of the script, for reruns. */
const flagsOf = new WeakMap<TestProject, string[]>();

export default defineFramework({
  name: "deno",
  summary:
    "runs `deno test` as the task or script `test` does, with all permissions where there is none; reads what is " +
    "printed as it goes on, and the report in JUnit's format at the end, which has the failures",
  language: "javascript",
  buildSystem: "deno",
  detectedBy: "a task or script that runs `deno test`, or files with tests of Deno",
  needs: () => [],
  async detect({ folder }) {
    if ((await startsOf(folder)).length > 0) return { confidence: 95, reason: "a task runs deno test" };
    const config = (await folder.list()).find((name) => configs.includes(name));
    for (const path of (await findFiles(folder, testFile)).slice(0, mostRead)) {
      if (importsIt.test(await folder.read(path) ?? "")) {
        return { confidence: config === undefined ? 75 : 90, reason: `${path} has tests of Deno` };
      }
    }
    return undefined;
  },
  async plan(project, place) {
    const { folder, request: { level, test } } = project;
    const ofLevel = level === undefined ? [] : await startsOf(folder, level);
    const all = ofLevel.length > 0 ? ofLevel : await startsOf(folder);
    const bare: ToolStart = { script: "", before: [], head: "deno", args: words("test", "-A") };
    const starts = all.length > 0 ? all : [bare];
    const files = level !== undefined && ofLevel.length === 0
      ? filesOfLevel(await findFiles(folder, testFile), level)
      : undefined;
    flagsOf.set(project, flagsIn(optionsIn(starts[0]!), valueFlags).map(({ text }) => text));
    return {
      files: {},
      preparation: [...new Set(starts.flatMap(({ before }) => before))].map((line) => asScript(line)),
      runs: starts.map((start) => {
        const options = optionsIn(start);
        const given = files === undefined ? options : flagsIn(options, valueFlags);
        const own = [`--junit-path=${place.events}`, ...(test === undefined ? [] : [filterFor(test)])];
        return asScript(
          [
            start.head,
            "test",
            ...own.map(shellWord),
            ...given.map(({ raw }) => raw),
            ...(files ?? []).map(shellWord),
          ]
            .join(" "),
          { NO_COLOR: "1" },
        );
      }),
    };
  },
  reader: (project) => denoReader(project, onlyTest(project.request.test)),
  rerun: ({ name, suite }, project) => ({
    argv: [
      "deno",
      "test",
      ...flagsOf.get(project) ?? ["-A"],
      filterFor(name),
      ...(suite === undefined ? [] : [suite]),
    ],
  }),
  suggestTraces: ({ stack }) => functionsToTrace(stack),
  withoutTests: async ({ folder }) => ({
    language: "javascript",
    buildSystem: "deno",
    testFiles: (await findFiles(folder, testFile)).length,
    hint:
      `No tests found. Write first_test.ts: ${api}.test("adds", () => { if (1 + 1 !== 2) throw new Error("wrong"); });`,
  }),
});

const words = (...texts: string[]): ShellWord[] => texts.map((text) => ({ raw: text, text }));

/** Words behind `test`, but for options of PTH's own. */
const optionsIn = ({ args }: ToolStart): ShellWord[] =>
  args.slice(1).filter(({ text }) => !replaced.test(text));

/** Starts in tasks of Deno's configuration, or in scripts of package.json. */
async function startsOf(folder: ReadableFolder, level?: TestProject["request"]["level"]) {
  const fits = ([program = "", command]: readonly string[]) =>
    programName(program) === "deno" && command === "test";
  const inTasks = startsInScripts(await tasksOf(folder), fits, level);
  return inTasks.length > 0 ? inTasks : await toolStarts(folder, fits, level);
}

async function tasksOf(folder: ReadableFolder): Promise<Record<string, string>> {
  for (const path of configs) {
    const text = await folder.read(path);
    if (text === undefined) continue;
    const { tasks } = configIn(text);
    return Object.fromEntries(
      Object.entries(isObject(tasks) ? tasks : {}).flatMap(([name, task]) => {
        const command = isObject(task) ? task.command : task;
        return typeof command === "string" ? [[name, command]] : [];
      }),
    );
  }
  return {};
}

/** Empty for what cannot be read, which Deno itself complains about. */
function configIn(text: string): Record<string, unknown> {
  try {
    const value: unknown = evaluate(parse(text, { mode: "jsonc", allowTrailingCommas: true }));
    return isObject(value) ? value : {};
  } catch (_noJson) {
    return {};
  }
}

/** A step runs with its test. Deno prints the end of a line as two characters. */
const filterFor = (name: string): string => {
  const title = unnumbered(name).split(" > ")[0]!.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  return `--filter=/^${title.replaceAll("\\\\n", "(?:\\\\n|\\n)")}$/`;
};

/** Leaves out what was not asked for; steps belong to their test. */
function onlyTest(asked: string | undefined) {
  if (asked === undefined) return {};
  const wanted = unnumbered(asked);
  return { drops: (name: string) => name !== wanted && !name.startsWith(`${wanted} > `) };
}
