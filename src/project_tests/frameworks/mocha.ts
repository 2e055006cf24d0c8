import { defineFramework } from "../framework.ts";
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
  program: "mocha",
  dependency: "mocha",
  config: /^\.mocharc\.(?:[cm]?js|json|jsonc|ya?ml)$/,
  testFile: /(?:^|\/)tests?\/.*\.[cm]?[jt]s$|[._-](?:test|spec)\.[cm]?[jt]s$/,
  valueFlags:
    /^(?:-r|-R|-t|-u|-g|-f|-s|-c|--require|--import|--loader|--reporter|--timeout|--ui|--grep|--config|--file|--extension|--ignore|--retries|--jobs|-O|--reporter-option|--reporter-options|-n|--node-option|--spec|--slow)$/,
  bare: "mocha",
  reporter: "mocha_listener.mjs",
};

const isHook = /(?:^| > )"(?:before|after) (?:all|each)" hook\b/;

export default defineFramework({
  name: "mocha",
  summary:
    "runs Mocha as its script does, and listens to it beside its own reporter; files side by side are told as " +
    "each is over",
  language: "javascript",
  buildSystem: "npm",
  detectedBy: "a script that runs `mocha`, its configuration, or the dependency",
  needs: () => ["node"],
  detect: (project) => detectTool(project, tool),
  plan: (project, place) =>
    planTool(project, place, tool, () => [
      `--require=${place.scratch}/${tool.reporter}`,
      ...(project.request.test === undefined ? [] : [`--grep=${fullNamePattern(project.request.test)}`]),
    ]),
  reader: (project) => reportedEvents(project, onlyAsked(project.request.test)),
  rerun(test, project) {
    // A hook cannot be chosen: it runs with the tests of its file.
    const { suite = [] } = test;
    return rerunAsScript(project, tool, isHook.test(test.name) ? [suite].flat() : rerunWords(test, "--grep"));
  },
  suggestTraces: ({ stack }) => functionsToTrace(stack),
  runnerThreads: "node",
  withoutTests: (project) =>
    withoutToolTests(
      project,
      tool,
      'Write test/first.js: import assert from "node:assert"; describe("sums", () => it("adds", () => ' +
        "assert.equal(1 + 1, 2)));",
    ),
});
