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

/** Names are patterns to doctest, and a comma parts two of them. */
const escapeName = (name: string): string => name.replaceAll(",", "\\,");

/** Test programs of doctest. Their XML goes to a file, where nothing that a test prints disturbs it. */
export default defineFramework({
  name: "doctest",
  summary: "a test program, given as `command`; levels by test suites of these names",
  language: "c++",
  buildSystem: "cmake",
  detectedBy:
    "a `command` that lists its tests as doctest does, or a CMake or Meson project that names doctest",
  takesCommands: true,
  needs: () => [],
  detect: (project) =>
    detectTestProgram(project, {
      title: "doctest",
      holds: ["list-test-cases"],
      list: ["--list-test-cases", "--no-colors=true"],
      isListing: ({ code, stdout }) =>
        code !== null && /^\[doctest\] listing all test case names/m.test(stdout),
      inBuild: /\bdoctest\b/,
    }),
  async plan(project, place) {
    const program = await neededProgram(project, "doctest");
    const { request: { level, test } } = project;
    requireOneChoice(project.request);
    const choice = test !== undefined
      ? [`--test-case=${escapeName(test)}`]
      : level !== undefined
      ? [`--test-suite=${level}*`]
      : [];
    // Tests that are not chosen are reported as skipped otherwise.
    const only = choice.length === 0 ? [] : ["--no-skipped-summary=true"];
    const argv = [program, "--reporters=xml", `--out=${place.events}`, "--duration=true", ...choice, ...only];
    return { files: {}, preparation: [], runs: [{ argv }] };
  },
  reader: ({ root }) => createAssertionReader(root),
  rerun: ({ name }, project) => ({
    argv: [programIn(project) ?? "./tests", `--test-case=${escapeName(name.replace(/ #\d+$/, ""))}`],
  }),
  suggestTraces: suggestCalls,
  withoutTests: (project) =>
    withoutProgramTests(
      project,
      "For a first test of doctest write to tests/first_test.cpp: #define " +
        'DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN, #include <doctest/doctest.h> and TEST_CASE("adds") { CHECK(add(1, 1) == 2); }; ' +
        "build it and give the program via command.",
    ),
});
