/** Tests of Java and its like by name: the parts of a name, test classes, and their levels. */
import type { TestLevel } from "../../machines/model/project_test.ts";
import { findFiles } from "./count_files.ts";
import type { TestProject } from "./framework.ts";
import { filesOfLevel, levelOf } from "./test_levels.ts";

export const javaTestFile =
  /(?:^|\/)src\/\w*[tT]est\w*\/.*(?:Tests?|TestCase|IT|Spec|Suite)\.(?:java|kt|groovy|scala)$|(?:^|\/)Test\w+\.java$/;

/** Classes that are named on a command line. */
const mostClasses = 500;

/**
 * Takes `demo.SumTest#isOdd(int)[2]`, `SumTest.adds`, `SumTest` or `adds` apart: parameters and what is only shown are left
 * out. What begins with a capital is a class.
 */
export function javaTestParts(test: string): { type?: string; method?: string } {
  const name = test.replace(/ > .*$/s, "").replace(/(?:\([^)]*\))?(?:\[[^\]]*\])*$/s, "");
  const [, type, method] = /^(.*)#(.*)$/s.exec(name) ?? [];
  if (type !== undefined) return { type, method: method! };
  if (/(?:^|[.$])[A-Z][^.]*$/.test(name)) return { type: name };
  const dot = name.lastIndexOf(".");
  return dot < 0 ? { method: name } : { type: name.slice(0, dot), method: name.slice(dot + 1) };
}

/** Whether a name is of another test than the one that was asked for: a method may run with several parameters. */
export const isOtherJavaTest = (name: string, asked: string): boolean =>
  asked.endsWith("]") && name !== asked && !name.endsWith(`.${asked}`);

/**
 * Names of the test classes of a level; none where all are: build tools keep unit tests apart from others that they know.
 * @throws {PthError} `INVALID_INPUT` where the project does not tell levels apart
 */
export async function classesOfLevel(folder: TestProject["folder"], level: TestLevel): Promise<string[]> {
  const files = await findFiles(folder, javaTestFile);
  const byWords = new Map(files.map((file) => [levelWords(file), file]));
  if (level === "unit" && [...byWords.keys()].every((words) => levelOf(words) === undefined)) return [];
  const classes = filesOfLevel([...byWords.keys()], level).map((words) =>
    byWords.get(words)!.replace(/^.*\//, "").replace(/\.\w+$/, "")
  );
  return [...new Set(classes)].slice(0, mostClasses);
}

/** Path in which the words of a class's name stand apart, by which levels are known: `SumIT` is an integration test. */
const levelWords = (file: string): string =>
  file.replace(/(?:IT|ITCase)(?=\.\w+$)/, "Integration")
    .replace(
      /[^/]*$/,
      (name) => name.replace(/([a-z0-9])(?=[A-Z])/g, "$1-").replace(/-Tests?(?=\.\w+$)/, ""),
    );
