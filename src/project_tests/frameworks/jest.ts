import { isObject, jsonIn } from "../../core/values.ts";
import { defineFramework, type TestProject } from "../framework.ts";
import { asScript } from "../javascript/npm_scripts.ts";
import {
  detectTool,
  fullNamePattern,
  onlyAsked,
  planTool,
  rerunAsScript,
  rerunWords,
  type ScriptTool,
  withoutToolTests,
} from "../javascript/script_tool.ts";
import { reportedEvents } from "../readers/reported_events.ts";
import { functionsToTrace } from "../stack_frames.ts";

const tool: ScriptTool = {
  program: "jest",
  dependency: "jest",
  config: /^jest\.config\.(?:[cm]?[jt]s|json)$/,
  testFile: /(?:\.(?:test|spec)|(?:^|\/)__tests__\/.*)\.[cm]?[jt]sx?$/,
  valueFlags:
    /^(?:-c|-t|-w|--config|--env|--maxWorkers|--rootDir|--roots|--projects|--testTimeout|--setupFiles|--reporters|--selectProjects|--outputFile)$/,
  bare: "jest",
  reporter: "jest_reporter.cjs",
};

export default defineFramework({
  name: "jest",
  summary:
    "runs Jest with a reporter of its own beside those of the configuration, which run without their options",
  language: "javascript",
  buildSystem: "npm",
  detectedBy: "a script that runs `jest`, its configuration, or the dependency",
  needs: () => ["node"],
  detect: (project) => detectTool(project, tool),
  async plan(project, place) {
    const configured = await reportersOf(project);
    return await planTool(project, place, tool, (has) => [
      ...(has("--reporters") ? [] : configured.map((name) => `--reporters=${name}`)),
      `--reporters=${place.scratch}/${tool.reporter}`,
      "--testLocationInResults",
      ...(project.request.test === undefined
        ? []
        : [`--testNamePattern=${fullNamePattern(project.request.test)}`]),
    ]);
  },
  reader: (project) => reportedEvents(project, onlyAsked(project.request.test)),
  rerun: (test, project) => rerunAsScript(project, tool, ["--runTestsByPath", ...rerunWords(test, "-t")]),
  suggestTraces: ({ stack }) => functionsToTrace(stack),
  runnerThreads: "node",
  withoutTests: (project) =>
    withoutToolTests(
      project,
      tool,
      'Write __tests__/first.test.js: test("adds", () => expect(1 + 1).toBe(2));',
    ),
});

/** Reporters that the configuration names: the command line would replace them. */
async function reportersOf({ folder, probe }: TestProject): Promise<string[]> {
  const text = [
    await folder.read("package.json"),
    ...await Promise.all(
      (await folder.list()).filter((name) => tool.config.test(name)).map((name) => folder.read(name)),
    ),
  ].join("\n");
  if (!/\breporters\b/.test(text)) return ["default"];
  const { stdout } = await probe(asScript("jest --showConfig").argv);
  const shown = jsonIn(stdout);
  const reporters = isObject(shown) && isObject(shown.globalConfig)
    ? shown.globalConfig.reporters
    : undefined;
  const names = Array.isArray(reporters)
    ? reporters.map((one: unknown) => Array.isArray(one) ? one[0] as unknown : one)
    : [];
  const usable = names.filter((name) => typeof name === "string");
  return usable.length === 0 ? ["default"] : usable;
}
