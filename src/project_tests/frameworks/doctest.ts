import { PthError } from "../../core/errors.ts";
import { countFiles } from "../count_files.ts";
import { defineFramework } from "../framework.ts";
import { createAssertionReader } from "../readers/assertion_reader.ts";
import { suggestCalls } from "../suggest_functions.ts";
import { buildNames, neededProgram, programHolds, programIn } from "../test_program.ts";

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
  needs: () => [],
  async detect(project) {
    const { request: { command } } = project;
    const program = programIn(project);
    if (program !== undefined && await programHolds(project, program, ["list-test-cases"])) {
      const { code, stdout } = await project.probe([program, "--list-test-cases", "--no-colors=true"]);
      if (code !== null && /^\[doctest\] listing all test case names/m.test(stdout)) {
        return { confidence: 85, reason: `${command} lists its tests as doctest does` };
      }
    }
    if (command !== undefined) return undefined;
    const file = await buildNames(project, /\bdoctest\b/);
    return file === undefined ? undefined : {
      confidence: 60,
      reason: `${file} names doctest`,
      hint: "doctest project detected. Provide the test binary path via command parameter.",
    };
  },
  async plan(project, place) {
    const program = await neededProgram(project, "doctest");
    const { request: { level, test } } = project;
    if (level !== undefined && test !== undefined) {
      throw new PthError("INVALID_INPUT", `Cannot choose the test ${test} and the level ${level}`, {
        next: ["Give only one of them"],
      });
    }
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
  async withoutTests({ folder }) {
    return {
      language: "c++",
      buildSystem: "cmake",
      testFiles: await countFiles(folder, /(?:^|[/_.-])tests?(?:[_.-][^/]*)?\.(?:cpp|cc|cxx)$/i),
      hint: "No tests found. For a first test of doctest write to tests/first_test.cpp: #define " +
        'DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN, #include <doctest/doctest.h> and TEST_CASE("adds") { CHECK(add(1, 1) == 2); }; ' +
        "build it and give the program via command.",
    };
  },
});
