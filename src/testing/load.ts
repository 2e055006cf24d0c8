/** Test files of a folder (PTH design §5.3: `.pth/tests` of the plugin). */
import { join } from "node:path";
import type { TestCase } from "../../machines/model/test_case.ts";
import { PthError } from "../errors.ts";
import { isNotFound, readDir, readTextFile, stat } from "../platform/files.ts";
import { assignIds } from "./ids.ts";
import { readTests } from "./parse.ts";
import { invalidTestFiles, type Problem } from "./problems.ts";

/** Where a plugin keeps its tests, relative to its folder. */
export const defaultTestFolder = ".pth/tests";

/** The part of it that PTH writes at the end of a session, and may write anew. */
export const generatedFolder = `${defaultTestFolder}/generated`;

const isTestFile = (name: string): boolean => /\.(?:ya?ml|json)$/i.test(name) && !name.startsWith(".");

/**
 * Reads a file, or every `.yaml`, `.yml` and `.json` file below a folder in the order of their paths.
 * A folder without such files gives no tests.
 * @throws {PthError} `INVALID_TEST_FILE` with the problems of all files, `TARGET_NOT_FOUND`
 */
export async function loadTests(path: string): Promise<TestCase[]> {
  const tests: TestCase[] = [];
  const problems: Problem[] = [];
  for (const file of await testFiles(path)) {
    const read = readTests(file, await readTextFile(file));
    tests.push(...read.tests);
    problems.push(...read.problems);
  }
  if (problems.length > 0) throw invalidTestFiles(problems);
  return assignIds(tests);
}

async function testFiles(path: string): Promise<string[]> {
  try {
    if (!(await stat(path)).isDirectory) return [path];
  } catch (error) {
    if (!isNotFound(error)) throw error;
    throw new PthError("TARGET_NOT_FOUND", `Cannot read tests: there is no file or folder ${path}`, {
      next: [`Without --tests, PTH reads ${defaultTestFolder} and generates tests from the tools' schemas`],
    }, { cause: error });
  }
  const found: string[] = [];
  for await (const entry of readDir(path)) {
    const child = join(path, entry.name);
    if (entry.isDirectory) found.push(...await testFiles(child));
    else if (isTestFile(entry.name)) found.push(child);
  }
  return found.sort();
}
