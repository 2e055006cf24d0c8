import { join } from "node:path/posix";
import { escapePattern } from "../../core/text.ts";
import { assetText } from "../../platform/asset_text.ts";
import { countFiles } from "../count_files.ts";
import { defineFramework, type TestProject } from "../framework.ts";
import { createCtestReader } from "../readers/ctest_reader.ts";
import { buildErrors } from "../readers/printed_failure.ts";
import { suggestCalls } from "../suggest_functions.ts";

const signs =
  /\b(?:enable_testing|add_test|(?:gtest|catch|doctest)_discover_tests)\s*\(|include\s*\(\s*CTest\s*\)/i;

/** Program that runs the same tests with a tracer before each command. */
const tracedRun = "ctest_traced.sh";

/** Tests of a CMake project, whatever framework their programs use. They are built as CMake builds them. */
export default defineFramework({
  name: "ctest",
  summary: "all tests that a CMake project registers, built first; levels by the labels of these names",
  language: "c++",
  buildSystem: "cmake",
  detectedBy: "`CMakeLists.txt` that enables or adds tests, or a folder that CMake has configured",
  needs: () => ["cmake", "ctest"],
  async detect({ folder, request: { command } }) {
    if (command !== undefined) return undefined;
    if (await folder.exists("CTestTestfile.cmake")) return { confidence: 75, reason: "CTestTestfile.cmake" };
    const text = await folder.read("CMakeLists.txt");
    return text !== undefined && signs.test(text)
      ? { confidence: 75, reason: "CMakeLists.txt adds tests" }
      : undefined;
  },
  async plan(project, place) {
    const { request: { level, test, tracePatterns = [], watches = [] } } = project;
    const { build, isConfigured } = await buildFolder(project);
    const choice = [
      ...level === undefined ? [] : ["--label-regex", `^${level}$`],
      ...test === undefined ? [] : ["--tests-regex", `^${escapePattern(test)}$`],
    ];
    const isTraced = tracePatterns.length > 0 || watches.length > 0;
    return {
      files: isTraced ? { [tracedRun]: assetText(`project_tests/${tracedRun}`) } : {},
      preparation: [
        ...isConfigured
          ? []
          : [{ argv: ["cmake", "-S", ".", "-B", build, ...isTraced ? ["-DCMAKE_BUILD_TYPE=Debug"] : []] }],
        { argv: ["sh", "-c", 'exec "$@" "$(nproc)"', "sh", "cmake", "--build", build, "--parallel"] },
      ],
      runs: [
        isTraced
          ? { argv: ["sh", join(place.scratch, tracedRun), build, ...choice], startsPrograms: true }
          : { argv: ["ctest", "--test-dir", build, "--verbose", ...choice] },
      ],
    };
  },
  readPreparation: ({ stdout, stderr }, { root }) => buildErrors(`${stdout}\n${stderr}`, root),
  reader: ({ root }) => createCtestReader(root),
  rerun: ({ name, suite = "build" }) => ({
    argv: [
      "ctest",
      "--test-dir",
      suite,
      "--verbose",
      "--tests-regex",
      `^${escapePattern(name.replace(/ #\d+$/, ""))}$`,
    ],
  }),
  suggestTraces: suggestCalls,
  async withoutTests({ folder }) {
    return {
      language: "c++",
      buildSystem: "cmake",
      testFiles: await countFiles(folder, /(?:^|[/_.-])tests?(?:[_.-][^/]*)?\.(?:c|cpp|cc|cxx)$/i),
      hint:
        "No tests found. For a first test write a program that exits with 0 when all is well, and register it in " +
        "CMakeLists.txt: enable_testing(), add_executable(first_test tests/first_test.cpp), " +
        "add_test(NAME first_test COMMAND first_test).",
    };
  },
});

/** The folder that is configured already, as its author would use it; else `build`. */
async function buildFolder({ folder }: TestProject): Promise<{ build: string; isConfigured: boolean }> {
  if (await folder.exists("CMakeCache.txt")) return { build: ".", isConfigured: true };
  const usual = ["build", "cmake-build-debug", "cmake-build-release", "_build", "out/build"];
  const others = (await folder.list()).filter((name) => !name.startsWith(".") && !usual.includes(name));
  for (const build of [...usual, ...others.slice(0, 100)]) {
    if (await folder.exists(`${build}/CMakeCache.txt`)) return { build, isConfigured: true };
  }
  return { build: "build", isConfigured: false };
}
