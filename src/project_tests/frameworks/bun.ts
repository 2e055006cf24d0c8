import { shellWord } from "../../core/shell_word.ts";
import { assetText } from "../../platform/asset_text.ts";
import type { ReadableFolder } from "../../plugin/readable_folder.ts";
import { findFiles } from "../count_files.ts";
import { defineFramework, type TestProject } from "../framework.ts";
import { asScript, programName, type ToolStart, toolStarts } from "../javascript/npm_scripts.ts";
import { fullNamePattern, onlyAsked } from "../javascript/script_tool.ts";
import { flagsIn, type ShellWord } from "../javascript/shell_words.ts";
import { eventsVariable, reportedEvents } from "../readers/reported_events.ts";
import { functionsToTrace } from "../stack_frames.ts";
import { filesOfLevel } from "../test_levels.ts";

const testFile = /(?:[._](?:test|spec))\.[cm]?[jt]sx?$/;
const importsIt = /["']bun:test["']/;
const runner = "bun_runner.mjs";
const mostRead = 40;
const valueFlags =
  /^(?:-t|-c|--test-name-pattern|--preload|--timeout|--coverage-reporter|--coverage-dir|--config|--env-file)$/;

/** Options of the script, for reruns. */
const flagsOf = new WeakMap<TestProject, string[]>();

export default defineFramework({
  name: "bun",
  summary:
    "runs `bun test` as the script `test` does, and listens to it by its inspector; what that does not tell of a " +
    "run that is over is taken from Bun's report",
  language: "javascript",
  buildSystem: "bun",
  detectedBy: "a script that runs `bun test`, or tests that import `bun:test`",
  needs: () => [],
  async detect({ folder }) {
    if ((await startsOf(folder)).length > 0) {
      return { confidence: 95, reason: "a script of package.json runs bun test" };
    }
    for (const path of (await findFiles(folder, testFile)).slice(0, mostRead)) {
      if (importsIt.test(await folder.read(path) ?? "")) {
        return { confidence: 90, reason: `${path} imports bun:test` };
      }
    }
    return undefined;
  },
  async plan(project, place) {
    const { folder, request: { level, test } } = project;
    const ofLevel = level === undefined ? [] : await startsOf(folder, level);
    const all = ofLevel.length > 0 ? ofLevel : await startsOf(folder);
    const starts = all.length > 0 ? all : [{ script: "", before: [], head: "bun", args: words("test") }];
    const files = level !== undefined && ofLevel.length === 0
      ? filesOfLevel(await findFiles(folder, testFile), level)
      : undefined;
    flagsOf.set(project, flagsIn(starts[0]!.args.slice(1), valueFlags).map(({ text }) => text));
    const chosen = test === undefined ? [] : [`--test-name-pattern=${fullNamePattern(test)}`];
    return {
      files: { [runner]: assetText(`project_tests/${runner}`), "bunfig.toml": "" },
      preparation: [...new Set(starts.flatMap(({ before }) => before))].map((line) => asScript(line)),
      runs: starts.map(({ head, args }) => {
        const [command, ...options] = args;
        const given = files === undefined ? options : flagsIn(options, valueFlags);
        // The configuration of the project is for its tests alone.
        const own = [`--config=${place.scratch}/bunfig.toml`, `${place.scratch}/${runner}`].map(shellWord);
        const rest = [
          ...chosen.map(shellWord),
          ...given.map(({ raw }) => raw),
          ...(files ?? []).map(shellWord),
        ];
        return asScript([head, ...own, command!.raw, ...rest].join(" "), { [eventsVariable]: place.events });
      }),
    };
  },
  reader: (project) => reportedEvents(project, onlyAsked(project.request.test)),
  rerun: ({ name, suite }, project) => ({
    argv: [
      "bun",
      "test",
      ...flagsOf.get(project) ?? [],
      ...(name === suite || name === "(outside of tests)"
        ? []
        : [`--test-name-pattern=${fullNamePattern(name)}`]),
      ...(suite === undefined ? [] : [suite]),
    ],
  }),
  suggestTraces: ({ stack }) => functionsToTrace(stack),
  withoutTests: async ({ folder }) => ({
    language: "javascript",
    buildSystem: "bun",
    testFiles: (await findFiles(folder, testFile)).length,
    hint: 'No tests found. Write first.test.ts: import { expect, test } from "bun:test"; ' +
      'test("adds", () => expect(1 + 1).toBe(2));',
  }),
});

const words = (...texts: string[]): ShellWord[] => texts.map((text) => ({ raw: text, text }));

const startsOf = (folder: ReadableFolder, level?: TestProject["request"]["level"]): Promise<ToolStart[]> =>
  toolStarts(
    folder,
    ([program = "", command]) => programName(program) === "bun" && command === "test",
    level,
  );
