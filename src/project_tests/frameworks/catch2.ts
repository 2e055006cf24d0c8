import { defineFramework } from "../framework.ts";
import { createAssertionReader } from "../readers/assertion_reader.ts";
import { suggestCalls } from "../suggest_functions.ts";
import {
  detectTestProgram,
  neededProgram,
  programIn,
  requireOneChoice,
  withoutProgramTests,
} from "../test_program.ts";

/** Names are patterns to Catch2, in which some characters have to be escaped. */
const escapeName = (name: string): string => name.replaceAll(/[\\,[\]"]/g, "\\$&");

/** Test programs of Catch2, versions 2 and 3. Their XML goes to a file, where nothing that a test prints disturbs it. */
export default defineFramework({
  name: "catch2",
  summary:
    "a test program of version 2 or 3, given as `command`; levels by the tags `[unit]`, `[integration]`, `[e2e]`",
  language: "c++",
  buildSystem: "cmake",
  detectedBy:
    "a `command` that lists its tests as Catch2 does, or a CMake or Meson project that names Catch2",
  takesCommands: true,
  needs: () => [],
  detect: (project) =>
    detectTestProgram(project, {
      title: "Catch2",
      holds: ["All available test cases", "_ZN5Catch"],
      list: ["--list-tests"],
      isListing: ({ code, stdout }) =>
        code !== null && /^(?:All available|Matching) test cases/m.test(stdout),
      inBuild: /\bCatch2\b/i,
    }),
  async plan(project, place) {
    const program = await neededProgram(project, "Catch2");
    const { request: { level, test } } = project;
    requireOneChoice(project.request);
    const choice = test !== undefined ? [escapeName(test)] : level !== undefined ? [`[${level}]`] : [];
    return {
      files: {},
      preparation: [],
      runs: [{
        argv: [program, "--reporter", "xml", "--out", place.events, "--durations", "yes", ...choice],
      }],
    };
  },
  reader: ({ root }) => createAssertionReader(root),
  rerun: ({ name }, project) => ({
    argv: [programIn(project) ?? "./tests", escapeName(name.replace(/ #\d+$/, ""))],
  }),
  suggestTraces: suggestCalls,
  withoutTests: (project) =>
    withoutProgramTests(
      project,
      "For a first test of Catch2 write to tests/first_test.cpp: #include <catch2/catch_test_macros.hpp> " +
        '(version 2: <catch2/catch.hpp>) and TEST_CASE("adds", "[unit]") { REQUIRE(add(1, 1) == 2); }; link it with ' +
        "Catch2::Catch2WithMain, build it and give the program via command.",
    ),
});
