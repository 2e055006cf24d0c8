import { isObject } from "../../core/values.ts";
import { defineFramework, type TestProject } from "../framework.ts";
import {
  detectTool,
  installedMajor,
  planTool,
  type ScriptTool,
  withoutToolTests,
} from "../javascript/script_tool.ts";
import { reportedEvents, unnumbered } from "../readers/reported_events.ts";
import { functionsToTrace, pathWithin } from "../stack_frames.ts";

const tool: ScriptTool = {
  program: "tap",
  dependency: "tap",
  config: /^\.taprc$/,
  testFile: /(?:^|\/)(?:tests?|__tests__)\/.*\.[cm]?[jt]sx?$|[._-](?:test|spec)\.[cm]?[jt]sx?$/,
  valueFlags:
    /^(?:-R|-j|-t|-g|-F|-A|--reporter|--reporter-file|--jobs|--timeout|--grep|--node-arg|--test-arg|--test-env|--plugin|--before|--after|--include|--exclude)$/,
  bare: "tap",
  reporter: "tap_reporter.cjs",
};

/** Options for a part of the tests, which covers a part of the code: for runs, and for reruns. */
const newOptions = {
  run: ["--allow-incomplete-coverage", "--allow-empty-coverage"],
  rerun: ["--disable-coverage"],
};
const oldOptions = { run: ["--no-check-coverage"], rerun: ["--no-coverage"] };
const optionsOf = new WeakMap<TestProject, typeof newOptions>();

export default defineFramework({
  name: "tap",
  summary: "runs node-tap, with a reporter of its own in place of the usual one; each `t.test` is a " +
    "test, known by its first assertion, and assertions outside of any are the test of their file",
  language: "javascript",
  buildSystem: "npm",
  detectedBy: "a script that runs `tap`, `.taprc`, or the dependency",
  needs: () => ["node"],
  detect: (project) => detectTool(project, tool),
  async plan(project, place) {
    const { folder, request: { level, test } } = project;
    const isFile = test !== undefined && await folder.exists(test);
    const options = (await installedMajor(project, "tap") ?? 18) < 18 ? oldOptions : newOptions;
    optionsOf.set(project, options);
    const isPart = level !== undefined || test !== undefined;
    const plan = await planTool(project, place, tool, () => [
      `--reporter=${place.scratch}/${tool.reporter}`,
      ...(isPart ? options.run : []),
      ...(test === undefined ? [] : isFile ? [test] : grepsFor(test)),
    ]);
    // node-tap takes 1 for itself being run by node-tap, and prints TAP then.
    return { ...plan, runs: plan.runs.map((run) => ({ ...run, env: { ...run.env, TAP: "0" } })) };
  },
  reader: (project) =>
    reportedEvents(project, { ...onlyTest(project.request.test), translate: fileTest(project.root) }),
  rerun: ({ name, suite }, project) => ({
    argv: [
      "npx",
      "tap",
      ...(optionsOf.get(project) ?? newOptions).rerun,
      ...(name === suite ? [] : grepsFor(name)),
      ...(suite === undefined ? [] : [suite]),
    ],
  }),
  suggestTraces: ({ stack }) => functionsToTrace(stack),
  runnerThreads: "node",
  withoutTests: (project) =>
    withoutToolTests(
      project,
      tool,
      'Write test/first.test.js: import t from "tap"; t.test("adds", (t) => { t.equal(1 + 1, 2); t.end(); });',
    ),
});

/** Options that choose a test: a pattern for the name on each level. */
const grepsFor = (name: string): string[] =>
  unnumbered(name).split(" > ").map((title) =>
    `--grep=/^${title.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&").replaceAll("\n", "\\s+")}$/`
  );

/** Gives the test that a file is the name by which its path is reported. */
const fileTest = (root: string) => (line: Record<string, unknown>) =>
  isObject(line.test) && typeof line.test.name === "string" && line.test.name === line.test.suite
    ? { ...line, test: { ...line.test, name: pathWithin(line.test.name, root) } }
    : line;

/** Leaves out tests that were not asked for: those above the one run with it. */
function onlyTest(asked: string | undefined) {
  if (asked === undefined) return {};
  const wanted = unnumbered(asked);
  return { drops: (name: string) => name !== wanted && !name.startsWith(`${wanted} > `) };
}
