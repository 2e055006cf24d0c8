import { shellWord } from "../../core/shell_word.ts";
import { assetText } from "../../platform/asset_text.ts";
import { findFiles } from "../count_files.ts";
import { defineFramework, type TestProject } from "../framework.ts";
import {
  asScript,
  dependsOn,
  fileRunBy,
  programName,
  type ToolStart,
  toolStarts,
} from "../javascript/npm_scripts.ts";
import { flagsIn } from "../javascript/shell_words.ts";
import { eventsVariable, reportedEvents, unnumbered } from "../readers/reported_events.ts";
import { functionsToTrace } from "../stack_frames.ts";
import { filesOfLevel } from "../test_levels.ts";

const testFile = /(?:^|\/)tests?\/.*\.[cm]?js$|(?:^|[/._-])test\.[cm]?js$/;
const importsIt = /(?:from|import|require\()\s*\(?["'](?:tape|tape-promise|tape-catch)["']/;
const listener = "tape_listener.cjs";
const valueFlags =
  /^(?:-r|-i|-C|--require|--import|--loader|--ignore|--ignore-pattern|--conditions|--env-file)$/;

/** Words that start the runner, and its options, for reruns. */
const startOf = new WeakMap<TestProject, string[]>();

export default defineFramework({
  name: "tape",
  summary:
    "runs tape as the script `test` does, or files that use it, and listens to each test in its process; what runs " +
    "again is the file of a test, as tape cannot choose one",
  language: "javascript",
  buildSystem: "npm",
  detectedBy: "a script that runs `tape`, or a file that uses it, or the dependency",
  needs: () => ["node"],
  async detect({ folder }) {
    if ((await startsOf(folder)).length > 0) {
      return { confidence: 95, reason: "a script of package.json runs tape" };
    }
    return await dependsOn(folder, "tape")
      ? { confidence: 80, reason: "package.json names tape" }
      : undefined;
  },
  async plan(project, place) {
    const { folder, request: { level, test } } = project;
    const ofLevel = level === undefined ? [] : await startsOf(folder, level);
    const all = ofLevel.length > 0 ? ofLevel : await startsOf(folder);
    const chosen = level !== undefined && ofLevel.length === 0
      ? filesOfLevel(await filesUsing(folder), level)
      : undefined;
    const starts = all.length > 0 && (chosen === undefined || isTape(all[0]!.head))
      ? all
      : [{ script: "", before: [], head: "tape", args: [] }];
    const files = chosen ?? (all.length > 0 ? undefined : await filesUsing(folder));
    const { head, args } = starts[0]!;
    startOf.set(project, [
      ...(isTape(head) ? ["npx", "tape"] : [programName(head.split(" ").at(-1)!)]),
      ...flagsIn(args, valueFlags).map(({ text }) => text),
    ]);
    const only = test === undefined ? {} : { PTH_TEST_ONLY: unnumbered(test) };
    return {
      files: { [listener]: assetText(`project_tests/${listener}`) },
      preparation: [...new Set(starts.flatMap(({ before }) => before))].map((line) => asScript(line)),
      runs: (files === undefined ? starts : starts.slice(0, 1)).map(({ head, args }) => {
        const given = files === undefined ? args : flagsIn(args, valueFlags);
        return asScript(
          [
            head,
            "--require",
            shellWord(`${place.scratch}/${listener}`),
            ...given.map(({ raw }) => raw),
            ...(files ?? []).map(shellWord),
          ].join(" "),
          { [eventsVariable]: place.events, ...only },
        );
      }),
    };
  },
  reader: (project) => reportedEvents(project, onlyTest(project.request.test)),
  rerun: ({ suite }, project) => ({
    argv: [...startOf.get(project) ?? ["npx", "tape"], ...(suite === undefined ? [] : [suite])],
  }),
  suggestTraces: ({ stack }) => functionsToTrace(stack),
  runnerThreads: "node",
  withoutTests: async ({ folder }) => ({
    language: "javascript",
    buildSystem: "npm",
    testFiles: (await findFiles(folder, testFile)).length,
    hint: 'No tests found. Write test/first.js: const test = require("tape"); ' +
      'test("adds", (t) => { t.equal(1 + 1, 2); t.end(); });',
  }),
});

const isTape = (head: string) => programName(head.split(" ").at(-1)!) === "tape";

/** Starts of `tape`, or of `node` with a file that uses it. */
async function startsOf(folder: TestProject["folder"], level?: TestProject["request"]["level"]) {
  const starts = await toolStarts(
    folder,
    ([program = "", ...rest]) => /^(?:tape|node|tsx|ts-node)$/.test(programName(program)) && rest.length > 0,
    level,
  );
  const found: ToolStart[] = [];
  for (const start of starts) {
    if (isTape(start.head)) found.push(start);
    else if (importsIt.test(await fileRunBy(start, folder) ?? "")) found.push(start);
  }
  return found;
}

async function filesUsing(folder: TestProject["folder"]): Promise<string[]> {
  const files = (await findFiles(folder, testFile)).slice(0, 1000);
  const texts = await Promise.all(files.map((path) => folder.read(path)));
  return files.filter((_path, at) => importsIt.test(texts[at] ?? ""));
}

/** Leaves out tests that were not asked for: those above the one run with it. */
function onlyTest(asked: string | undefined) {
  if (asked === undefined) return {};
  const wanted = unnumbered(asked);
  return {
    drops: (name: string) =>
      name !== wanted && !name.startsWith(`${wanted} > `) && name !== `${wanted} (after its end)`,
  };
}
