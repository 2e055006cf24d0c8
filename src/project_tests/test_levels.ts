/** Levels of tests by where their files lie and how they are called. */
import type { TestLevel } from "../../machines/model/project_test.ts";
import { PthError } from "../core/errors.ts";

const words: Record<TestLevel, string> = {
  unit: "units?",
  integration: "integrations?|integ|functional",
  e2e: "e2e|end[-_]?to[-_]?end|acceptance|system",
};

/** Level that a path tells: by a folder (`test/unit/`), or a part of the name (`a.e2e-spec.ts`, `test_unit_a.py`). */
export function levelOf(path: string): TestLevel | undefined {
  for (const level of ["e2e", "integration", "unit"] as const) {
    const word = `(?:${words[level]})`;
    const inFolder = new RegExp(`(?:^|/)(?:tests?[-_])?${word}(?:[-_]?tests?|[-_]specs?)?/`, "i");
    const inName = new RegExp(`(?:^|[/._-])${word}(?:[._-][^/]*)?$`, "i");
    if (inFolder.test(path) || inName.test(path)) return level;
  }
  return undefined;
}

/** Names of npm scripts, tasks and suites that stand for a level: `test:unit`, `integration`, `e2e-tests`. */
export const isLevelName = (name: string, level: TestLevel): boolean =>
  new RegExp(`^(?:tests?[:_.-]?)?(?:${words[level]})(?:[:_.-]?tests?)?$`, "i").test(name);

/**
 * Files of a level. Where others are told apart and none is called a unit test, unit tests are those that are left.
 * @throws {PthError} `INVALID_INPUT` where the project does not tell levels apart
 */
export function filesOfLevel(files: readonly string[], level: TestLevel): string[] {
  const named = files.filter((file) => levelOf(file) === level);
  if (named.length > 0) return named;
  const others = files.filter((file) => levelOf(file) === undefined);
  if (level === "unit" && others.length > 0 && others.length < files.length) return others;
  throw noSuchLevel(level, files.length);
}

/** Error for a project that has no tests of that level, or does not tell which they are. */
export const noSuchLevel = (level: TestLevel, testFiles: number): PthError =>
  new PthError(
    "INVALID_INPUT",
    `Cannot choose the level ${level}: none of the project's ${testFiles} test files lies in a folder or has a name ` +
      "that says so",
    { next: [`Put them into a folder such as tests/${level}/`, "Or run all levels: leave the level away"] },
  );
