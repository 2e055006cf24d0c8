/** Test tools that scripts of package.json start, and what is the same about all of them. */
import type { ProjectSummary, ProjectTest, TestCommand } from "../../../machines/model/project_test.ts";
import { shellWord } from "../../core/shell_word.ts";
import { assetText } from "../../platform/asset_text.ts";
import { findFiles } from "../count_files.ts";
import type { PlanPlace, TestPlan, TestProject } from "../framework.ts";
import { eventsVariable, unnumbered } from "../readers/reported_events.ts";
import { filesOfLevel } from "../test_levels.ts";
import { asScript, dependsOn, programName, type ToolStart, toolStarts } from "./npm_scripts.ts";
import { flagsIn, shellCommands } from "./shell_words.ts";

export interface ScriptTool {
  /** Program, as scripts name it. */
  program: string;
  /** Package that brings it. */
  dependency: string;
  /** Configuration at the top of the project. */
  config: RegExp;
  testFile: RegExp;
  /** Options whose next word is their value. */
  valueFlags: RegExp;
  /** Program and subcommand where no script starts it. */
  bare: string;
  /** File of `src/assets/project_tests/` that reports. */
  reporter: string;
}

/** Start of the tool as the project's script has it, for reruns. */
const startOf = new WeakMap<TestProject, ToolStart>();
/** Options that choose tests, wait for changes, or judge the whole suite. */
const unwanted =
  /^--(?:watch\w*|ui|coverage|onlyChanged|changedSince|changed|shard|grep|fgrep|testNamePattern)\b/;

/** Looks for signs of the tool: a script (confidence 95), a configuration (90), a dependency (80). */
export async function detectTool({ folder }: TestProject, tool: ScriptTool) {
  if ((await startsOf(folder, tool)).length > 0) {
    return { confidence: 95, reason: `a script of package.json runs ${tool.program}` };
  }
  const config = (await folder.list()).find((name) => tool.config.test(name));
  if (config !== undefined) return { confidence: 90, reason: config };
  return await dependsOn(folder, tool.dependency)
    ? { confidence: 80, reason: `package.json names ${tool.dependency}` }
    : undefined;
}

const startsOf = (
  folder: TestProject["folder"],
  { program }: ScriptTool,
  level?: TestProject["request"]["level"],
): Promise<ToolStart[]> => toolStarts(folder, ([word = ""]) => programName(word) === program, level);

/**
 * Plans the starts that the scripts have, each with options of PTH's own behind.
 * @param added words for each start, by the options that its author gave
 * @throws {PthError} `INVALID_INPUT` for a level that the project does not tell
 */
export async function planTool(
  project: TestProject,
  place: PlanPlace,
  tool: ScriptTool,
  added: (has: (flag: string) => boolean) => readonly string[],
): Promise<TestPlan> {
  const { folder, request: { level } } = project;
  const ofLevel = level === undefined ? [] : await startsOf(folder, tool, level);
  const all = ofLevel.length > 0 ? ofLevel : await startsOf(folder, tool);
  const starts = all.length > 0 ? all : [{ script: "", before: [], head: tool.bare, args: [] }];
  startOf.set(project, starts[0]!);
  const files = level !== undefined && ofLevel.length === 0
    ? filesOfLevel(await findFiles(folder, tool.testFile), level)
    : undefined;
  return {
    files: { [tool.reporter]: assetText(`project_tests/${tool.reporter}`) },
    preparation: [...new Set(starts.flatMap(({ before }) => before))].map((line) => asScript(line)),
    runs: starts.map(({ head, args }) => {
      const has = (flag: string) => args.some(({ text }) => text === flag || text.startsWith(`${flag}=`));
      const own = added(has).map(shellWord);
      const given = files === undefined ? args : flagsIn(args, tool.valueFlags, /^(?:run|watch)$/);
      const words = [head, ...given.map(({ raw }) => raw), ...own, ...(files ?? []).map(shellWord)];
      return asScript(words.join(" "), { [eventsVariable]: place.events });
    }),
  };
}

/** Reads it in the place: packages may lie above the project, or behind a link that leads out of it. */
const findManifest =
  'for up in . .. ../..; do cat "$up/node_modules/$0/package.json" 2>/dev/null && exit; done';

/** First number of the version of a package that is installed; undefined where that is not known. */
export async function installedMajor({ probe }: TestProject, name: string): Promise<number | undefined> {
  const { stdout } = await probe(["sh", "-c", findManifest, name]);
  const major = /"version":\s*"(\d+)/.exec(stdout)?.[1];
  return major === undefined ? undefined : Number(major);
}

/** Pattern for the full name of a test, whose titles the tool joins by spaces. */
export const fullNamePattern = (name: string): string =>
  `^${
    unnumbered(name).split(" > ")
      .map((title) =>
        title.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&").replaceAll("\n", "\\n").replaceAll("\r", "\\r")
      )
      .join("(?: > | )")
  }$`;

/** Leaves out what the tool tells of tests that were not asked for. */
export const onlyAsked = (asked: string | undefined) =>
  asked === undefined ? {} : { drops: (name: string) => name !== unnumbered(asked) };

/**
 * Starts the tool for a rerun as the script does: with its variables and its options, without its files.
 * @param words what chooses the test, behind the options
 */
export function rerunAsScript(project: TestProject, tool: ScriptTool, words: readonly string[]): TestCommand {
  const { head, args } = startOf.get(project) ?? { head: tool.bare, args: [] };
  const texts = (shellCommands(head)[0] ?? []).map(({ text }) => text);
  const env = Object.fromEntries(
    texts.filter((text) => /^\w+=/.test(text)).map((
      text,
    ) => [text.split("=")[0]!, text.replace(/^\w+=/, "")]),
  );
  const node = texts.indexOf("node");
  const wanted = args.filter(({ text }, at) => {
    const before = args[at - 1]?.text ?? "";
    return !unwanted.test(text) && !(unwanted.test(before) && tool.valueFlags.test(before));
  });
  const program = node < 0 ? ["npx", tool.program] : texts.slice(node);
  return {
    argv: [
      ...program,
      ...tool.bare.split(" ").slice(1),
      ...flagsIn(wanted, tool.valueFlags).map(({ text }) => text),
      ...words,
    ],
    ...(Object.keys(env).length === 0 ? {} : { env }),
  };
}

/** Words of a rerun: the file, and the pattern of the name. */
export const rerunWords = ({ name, suite }: ProjectTest, option: string): string[] => [
  ...(suite === undefined ? [] : [suite]),
  ...(name === suite ? [] : [option, fullNamePattern(name)]),
];

export async function withoutToolTests(
  { folder }: TestProject,
  { testFile }: ScriptTool,
  example: string,
): Promise<ProjectSummary & { hint: string }> {
  return {
    language: "javascript",
    buildSystem: "npm",
    testFiles: (await findFiles(folder, testFile)).length,
    hint: `No tests found. ${example}`,
  };
}
