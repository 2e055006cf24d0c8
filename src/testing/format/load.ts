/** Test files of a folder. */
import { basename, dirname, join, relative } from "node:path";
import type { TestCase } from "../../../machines/model/test_case.ts";
import { PthError } from "../../core/errors.ts";
import { openConfined } from "../../platform/confined/open_confined.ts";
import { isNotFound, realPath, stat } from "../../platform/files.ts";
import { assignIds } from "./ids.ts";
import { defaultTestFolder } from "./test_folders.ts";
import { type FoundTest, readFoundTests, uniqueNames } from "./parse.ts";
import { invalidTestFiles, type Problem } from "../../core/problems.ts";
import { maxLength } from "../../core/read_source.ts";

/** A character takes four bytes at most; `readSource` counts them. */
export const longestFile = 4 * maxLength;

/** Files whose reading is waited for together. */
const readTogether = 50;

const isTestFile = (name: string): boolean => /\.(?:ya?ml|json)$/i.test(name) && !name.startsWith(".");

export interface LoadedTests {
  tests: TestCase[];
  /** Mistakes of all files; valid tests in the same files are among the tests. */
  problems: Problem[];
  /** Texts of the files that could be read, by the path under which tests name them. */
  texts: Map<string, string>;
}

/**
 * Loads tests like `loadWithProblems`, for callers who continue only if everything is valid.
 * @throws {PthError} `INVALID_TEST_FILE` with the problems of all files, `TARGET_NOT_FOUND`
 */
export async function loadValid(path: string, shownAs = path): Promise<LoadedTests> {
  const loaded = await loadWithProblems(path, shownAs);
  if (loaded.problems.length > 0) throw invalidTestFiles(loaded.problems);
  return loaded;
}

/** Loads as `loadValid`, for callers who want nothing but the tests. */
export const loadTests = async (path: string): Promise<TestCase[]> => (await loadValid(path)).tests;

/**
 * Reads a file, or every `.yaml`, `.yml` and `.json` file below a folder in the order of their paths. A file with
 * mistakes costs neither the others nor its own tests that are right. A folder without such files gives no tests.
 * @param shownAs Path under which tests and problems name what is read, where that is a copy.
 * @throws {PthError} `TARGET_NOT_FOUND`
 */
export async function loadWithProblems(path: string, shownAs = path): Promise<LoadedTests> {
  const nameOf = (file: string) => shownAs === path ? file : join(shownAs, relative(path, file));
  const found: FoundTest[] = [];
  const problems: Problem[] = [];
  const texts = new Map<string, string>();
  const files = await testFiles(path);
  const root = files[0] === path ? undefined : path;
  for (let at = 0; at < files.length; at += readTogether) {
    for (
      const read of await Promise.all(
        files.slice(at, at + readTogether).map((file) => readFile(file, nameOf(file), root)),
      )
    ) {
      found.push(...read.tests);
      problems.push(...read.problems);
      if (read.text !== undefined) texts.set(read.file, read.text);
    }
  }
  const { tests, problems: repeated } = uniqueNames(found);
  return { tests: assignIds(tests), problems: [...problems, ...repeated], texts };
}

async function readFile(
  path: string,
  file: string,
  root: string | undefined,
): Promise<{ file: string; text?: string; tests: FoundTest[]; problems: Problem[] }> {
  try {
    // A file that was named by itself may be a link; one of a folder leads no further than the folder.
    const real = root === undefined ? await realPath(path) : path;
    const files = openConfined(root ?? dirname(real));
    const within = root === undefined ? basename(real) : relative(root, path);
    const { size = 0 } = await files.stat(within, { followWithin: true }) ?? {};
    if (size <= longestFile) {
      const text = await files.readText(within, { followWithin: true, maxBytes: longestFile }) ?? "";
      return { file, text, ...readFoundTests(file, text) };
    }
    return unread(file, `expected a file of at most ${longestFile} bytes, this has ${size}`);
  } catch (error) {
    if (!(error instanceof PthError) || error.code !== "PATH_REFUSED") throw error;
    return unread(file, `expected a file of the folder, but ${error.context["reason"]}`);
  }
}

const unread = (file: string, message: string) => ({
  file,
  tests: [],
  problems: [{ file, line: 1, column: 1, message }],
});

/** Paths of the test files that `loadTests` reads, sorted within each folder. @throws {PthError} `TARGET_NOT_FOUND` */
export async function testFiles(path: string): Promise<string[]> {
  try {
    if (!(await stat(path)).isDirectory) return [path];
  } catch (error) {
    if (!isNotFound(error)) throw error;
    throw new PthError("TARGET_NOT_FOUND", `Cannot read tests: there is no file or folder ${path}`, {
      next: [{
        terminal:
          `Without --tests, PTH reads ${defaultTestFolder} and generates tests from the tools' schemas`,
      }],
    }, { cause: error });
  }
  return (await testFilesOf(path)).sort();
}

async function testFilesOf(folder: string): Promise<string[]> {
  const found: string[] = [];
  for (const { name, kind } of await openConfined(folder).list("")) {
    const child = join(folder, name);
    if (kind === "folder") found.push(...(await testFilesOf(child)).sort());
    else if (isTestFile(name)) found.push(child);
  }
  return found;
}
