/** Test programs that a request names as its command: whether one is of a framework, and how its options are given. */
import type {
  FrameworkFound,
  ProjectSummary,
  ProjectTestRequest,
} from "../../machines/model/project_test.ts";
import { PthError } from "../core/errors.ts";
import { shellWord } from "../core/shell_word.ts";
import { countFiles } from "./count_files.ts";
import type { ProbeResult, TestProject } from "./framework.ts";

/** The one word of a command that names a program by its path; undefined for anything else. */
export function programIn({ request: { command } }: TestProject): string | undefined {
  const path = command?.trim();
  if (path === undefined || path === "" || /["'\\$`;&|<>()*?\n]/.test(path)) return undefined;
  return path.includes("/") ? path : undefined;
}

/**
 * Answers whether a program holds one of the texts. Only then may it be started for a probe: another program would run
 * whatever it runs.
 */
async function programHolds(
  project: TestProject,
  program: string,
  texts: readonly string[],
): Promise<boolean> {
  const patterns = texts.flatMap((text) => ["-e", text]);
  const { code } = await project.probe(["grep", "-aqF", ...patterns, "--", program]);
  return code === 0;
}

/** @throws {PthError} `INVALID_INPUT` where no program is named that can be started */
export async function neededProgram(project: TestProject, framework: string): Promise<string> {
  const program = programIn(project);
  const { command } = project.request;
  if (program === undefined) {
    throw new PthError(
      "INVALID_INPUT",
      command === undefined
        ? `Cannot run the tests of ${framework}: no test program is given`
        : `Cannot run the tests of ${framework}: ${command} is no path of a program`,
      { next: ["Build the tests, then give the path of their program via command: ./build/tests"] },
    );
  }
  const { code } = await project.probe(["test", "-f", program]);
  if (code !== 0) {
    throw new PthError("INVALID_INPUT", `Cannot run the tests of ${framework}: ${program} does not exist`, {
      next: ["Build the tests first", "Or correct the path: command"],
    });
  }
  const executable = await project.probe(["test", "-x", program]);
  if (executable.code === 0) return program;
  throw new PthError("INVALID_INPUT", `Cannot run the tests of ${framework}: ${program} is not executable`, {
    next: [`Make it executable: chmod +x ${shellWord(program)}`, "Or give another program: command"],
  });
}

/** Answers whether a CMake or Meson project names a framework. */
async function buildNames({ folder }: TestProject, pattern: RegExp): Promise<string | undefined> {
  for (const file of ["CMakeLists.txt", "tests/CMakeLists.txt", "test/CMakeLists.txt", "meson.build"]) {
    const text = await folder.read(file);
    if (text !== undefined && pattern.test(text)) return file;
  }
  return undefined;
}

/** Signs of a framework whose tests are programs. */
export interface ProgramSigns {
  /** Name as people write it. */
  title: string;
  /** Texts of which such a program holds one. */
  holds: readonly string[];
  /** Options with which it lists its tests. */
  list: readonly string[];
  /** Whether the listing is one of this framework. */
  isListing(listing: ProbeResult): boolean;
  /** Name of the framework in the project's build files. */
  inBuild: RegExp;
}

/** Finds a framework by the program that the request names or, without a command, by the project's build files. */
export async function detectTestProgram(
  project: TestProject,
  { title, holds, list, isListing, inBuild }: ProgramSigns,
): Promise<Omit<FrameworkFound, "framework"> | undefined> {
  const { request: { command } } = project;
  const program = programIn(project);
  if (program !== undefined && await programHolds(project, program, holds)) {
    if (isListing(await project.probe([program, ...list]))) {
      return { confidence: 85, reason: `${command} lists its tests as ${title} does` };
    }
  }
  if (command !== undefined) return undefined;
  const file = await buildNames(project, inBuild);
  return file === undefined ? undefined : {
    confidence: 60,
    reason: `${file} names ${title}`,
    hint: `${title} project detected. Provide the test binary path via command parameter.`,
  };
}

/** @throws {PthError} `INVALID_INPUT` for a test and a level at the same time */
export function requireOneChoice({ level, test }: ProjectTestRequest): void {
  if (level === undefined || test === undefined) return;
  throw new PthError("INVALID_INPUT", `Cannot choose the test ${test} and the level ${level}`, {
    next: ["Give only one of them"],
  });
}

/** A C++ project whose test program has no tests. @param first Way to a first test */
export const withoutProgramTests = async (
  { folder }: TestProject,
  first: string,
): Promise<ProjectSummary & { hint: string }> => ({
  language: "c++",
  buildSystem: "cmake",
  testFiles: await countFiles(folder, /(?:^|[/_.-])tests?(?:[_.-][^/]*)?\.(?:cpp|cc|cxx)$/i),
  hint: `No tests found. ${first}`,
});
