/** Test programs that a request names as its command: whether one is of a framework, and how its options are given. */
import { PthError } from "../core/errors.ts";
import { shellWord } from "../core/shell_word.ts";
import type { TestProject } from "./framework.ts";

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
export async function programHolds(
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
export async function buildNames({ folder }: TestProject, pattern: RegExp): Promise<string | undefined> {
  for (const file of ["CMakeLists.txt", "tests/CMakeLists.txt", "test/CMakeLists.txt", "meson.build"]) {
    const text = await folder.read(file);
    if (text !== undefined && pattern.test(text)) return file;
  }
  return undefined;
}
