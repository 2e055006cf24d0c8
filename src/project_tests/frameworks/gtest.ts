import { PthError } from "../../core/errors.ts";
import { defineFramework } from "../framework.ts";
import { createGtestReader } from "../readers/gtest_reader.ts";
import { suggestCalls } from "../suggest_functions.ts";
import { detectTestProgram, neededProgram, programIn, withoutProgramTests } from "../test_program.ts";

/** Test programs of GoogleTest, read from the lines that they print as they run. */
export default defineFramework({
  name: "gtest",
  summary: "a test program of GoogleTest, given as `command`; it knows no levels",
  language: "c++",
  buildSystem: "cmake",
  detectedBy:
    "a `command` that lists its tests as GoogleTest does, or a CMake or Meson project that names it",
  takesCommands: true,
  needs: () => [],
  detect: (project) =>
    detectTestProgram(project, {
      title: "GoogleTest",
      holds: ["gtest_list_tests", "_ZN7testing8internal"],
      list: ["--gtest_list_tests", "--gtest_color=no"],
      isListing: ({ code, stdout }) => code === 0 && /^\S.*\.(?: {2}#.*)?\n {2}\S/m.test(stdout),
      inBuild: /\b(?:GTest|gtest|googletest)\b/,
    }),
  async plan(project) {
    const program = await neededProgram(project, "GoogleTest");
    const { request: { level, test } } = project;
    if (level !== undefined) {
      throw new PthError("INVALID_INPUT", `Cannot choose the level ${level}: GoogleTest knows no levels`, {
        next: [
          "Choose by name instead: test, in which * stands for any text",
          "Or give another program: command",
        ],
      });
    }
    const argv = [program, "--gtest_color=no", "--gtest_print_time=1", "--gtest_brief=0"];
    const choice = test === undefined ? [] : [`--gtest_filter=${test}`];
    return { files: {}, preparation: [], runs: [{ argv: [...argv, ...choice] }] };
  },
  reader: ({ root }) => createGtestReader(root),
  rerun: ({ name }, project) => ({
    argv: [programIn(project) ?? "./tests", `--gtest_filter=${name.replace(/ #\d+$/, "")}`],
  }),
  suggestTraces: suggestCalls,
  withoutTests: (project) =>
    withoutProgramTests(
      project,
      "For a first test of GoogleTest write to tests/first_test.cpp: #include <gtest/gtest.h> and " +
        "TEST(Sums, OfTwo) { EXPECT_EQ(add(1, 1), 2); }; link it with GTest::gtest_main, build it and give the program " +
        "via command.",
    ),
});
