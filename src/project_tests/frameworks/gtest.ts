import { PthError } from "../../core/errors.ts";
import { countFiles } from "../count_files.ts";
import { defineFramework } from "../framework.ts";
import { createGtestReader } from "../readers/gtest_reader.ts";
import { suggestCalls } from "../suggest_functions.ts";
import { buildNames, neededProgram, programHolds, programIn } from "../test_program.ts";

/** Test programs of GoogleTest, read from the lines that they print as they run. */
export default defineFramework({
  name: "gtest",
  summary: "a test program of GoogleTest, given as `command`; it knows no levels",
  language: "c++",
  buildSystem: "cmake",
  detectedBy:
    "a `command` that lists its tests as GoogleTest does, or a CMake or Meson project that names it",
  needs: () => [],
  async detect(project) {
    const { request: { command } } = project;
    const program = programIn(project);
    const signs = ["gtest_list_tests", "_ZN7testing8internal"];
    if (program !== undefined && await programHolds(project, program, signs)) {
      const { code, stdout } = await project.probe([program, "--gtest_list_tests", "--gtest_color=no"]);
      if (code === 0 && /^\S.*\.(?: {2}#.*)?\n {2}\S/m.test(stdout)) {
        return { confidence: 85, reason: `${command} lists its tests as GoogleTest does` };
      }
    }
    if (command !== undefined) return undefined;
    const file = await buildNames(project, /\b(?:GTest|gtest|googletest)\b/);
    return file === undefined ? undefined : {
      confidence: 60,
      reason: `${file} names GoogleTest`,
      hint: "GoogleTest project detected. Provide the test binary path via command parameter.",
    };
  },
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
  async withoutTests({ folder }) {
    return {
      language: "c++",
      buildSystem: "cmake",
      testFiles: await countFiles(folder, /(?:^|[/_.-])tests?(?:[_.-][^/]*)?\.(?:cpp|cc|cxx)$/i),
      hint:
        "No tests found. For a first test of GoogleTest write to tests/first_test.cpp: #include <gtest/gtest.h> and " +
        "TEST(Sums, OfTwo) { EXPECT_EQ(add(1, 1), 2); }; link it with GTest::gtest_main, build it and give the program " +
        "via command.",
    };
  },
});
