import { defineFramework } from "../framework.ts";
import {
  detectTool,
  fullNamePattern,
  installedMajor,
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
  program: "vitest",
  dependency: "vitest",
  config: /^vitest\.(?:config|workspace)\.[cm]?[jt]s$/,
  testFile: /\.(?:test|spec)\.[cm]?[jt]sx?$/,
  valueFlags:
    /^(?:-c|-r|-t|--config|--root|--dir|--environment|--pool|--project|--reporter|--outputFile|--mode|--retry|--testTimeout|--maxWorkers)$/,
  bare: "vitest run",
  reporter: "vitest_reporter.mjs",
};

export default defineFramework({
  name: "vitest",
  summary:
    "runs Vitest once with a reporter of its own beside the default one, or those that the script names; " +
    "versions before 3 are not live",
  language: "javascript",
  buildSystem: "npm",
  detectedBy: "a script that runs `vitest`, its configuration, or the dependency",
  needs: () => ["node"],
  detect: (project) => detectTool(project, tool),
  async plan(project, place) {
    // Before version 3 the option is unknown, and refused.
    const locates = (await installedMajor(project, "vitest") ?? 0) >= 3;
    return await planTool(project, place, tool, (has) => [
      "--run",
      ...(locates ? ["--includeTaskLocation"] : []),
      ...(has("--reporter") ? [] : ["--reporter=default"]),
      `--reporter=${place.scratch}/${tool.reporter}`,
      ...(project.request.test === undefined ? [] : ["-t", fullNamePattern(project.request.test)]),
    ]);
  },
  reader: (project) => reportedEvents(project, onlyAsked(project.request.test)),
  rerun: (test, project) => rerunAsScript(project, tool, rerunWords(test, "-t")),
  suggestTraces: ({ stack }) => functionsToTrace(stack),
  runnerThreads: "node",
  withoutTests: (project) =>
    withoutToolTests(
      project,
      tool,
      'Write test/first.test.js: import { expect, test } from "vitest"; test("adds", () => expect(1 + 1).toBe(2));',
    ),
});
