/** Test files read again before tests run: who works on a plugin changes and removes them beside the session. */
import { basename, dirname, sep } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { TestCase } from "../../../machines/model/test_case.ts";
import { PthError } from "../../core/errors.ts";
import { openConfined } from "../../platform/confined/open_confined.ts";
import { pathExists } from "../../platform/files.ts";
import { longestFile, testFiles } from "../../testing/format/load.ts";
import { readFoundTests } from "../../testing/format/parse.ts";
import { type Problem, problemLine } from "../../core/problems.ts";
import { groupBy } from "../../core/values.ts";
import { testFolder } from "./discover_tests.ts";
import type { SessionParts } from "../session/session_parts.ts";
import { replaceTests } from "./replace_tests.ts";
import { count } from "../../core/text.ts";

/** Limit of problems that are reported of one file. */
const problemsTold = 3;

/**
 * Brings the session's tests to what their files hold now. What cannot be read any more does not run as it was before.
 * @returns what changed, for whoever asked for the run
 */
export async function rereadTests(context: SessionParts): Promise<string[]> {
  const held = groupBy(context.tests.all.filter(({ file }) => file !== undefined), ({ file }) => file!);
  const problematic = context.tests.problems.map(({ file }) => file);
  const known = [...held.keys(), ...problematic, ...context.tests.texts.keys()];
  const files = new Set([...known, ...await filesOfPlugin(context, known)]);
  const notes: string[] = [];
  let tests: readonly TestCase[] = context.tests.all;
  const problemsOf = (file: string) => problematic.filter((each) => each === file).length;
  for (const file of files) {
    const old = held.get(file) ?? [];
    const text = await textOf(file);
    if (text === undefined ? old.length + problemsOf(file) === 0 : context.tests.texts.get(file) === text) {
      continue;
    }
    context.tests.texts.set(file, text ?? "");
    const { tests: found, problems } = text === undefined
      ? { tests: [], problems: [] }
      : withOwnNames(readFoundTests(file, text), tests.filter((test) => test.file !== file));
    if (isDeepStrictEqual(found.map(plain), old.map(plain)) && problems.length === problemsOf(file)) continue;
    // Tests of the session took their names before.
    if (old.length + found.length + problems.length + problemsOf(file) === 0) continue;
    notes.push(
      text === undefined
        ? `${file} is gone: ${count(old.length, "test")} of it ${
          old.length === 1 ? "does" : "do"
        } not run any more`
        : old.length === 0
        ? `${file} is new: ${count(found.length, "test")} of it run, too`
        : `${file} has changed: it was read again`,
      ...problems.slice(0, problemsTold).map((problem) => `  not loaded: ${problemLine(problem)}`),
    );
    // The result of a test that is another one now says nothing of it.
    for (const test of old) {
      const same = found.find(({ name }) => name === test.name);
      if (same === undefined || !isDeepStrictEqual(meaning(same), meaning(test))) {
        context.results.latest.delete(test.id);
      }
    }
    const others = context.tests.problems.filter((problem) => problem.file !== file);
    context.tests.problems = [...others, ...problems];
    const at = old.length === 0 ? tests.length : tests.indexOf(old[0]!);
    tests = tests.filter((test) => test.file !== file).toSpliced(at, 0, ...found);
  }
  if (notes.length > 0) replaceTests(context, tests);
  return notes;
}

/** Removes tests whose name another one has: for two manual tests that is a mistake, as when a folder is read. */
function withOwnNames(
  { tests, problems }: ReturnType<typeof readFoundTests>,
  others: readonly TestCase[],
): { tests: TestCase[]; problems: Problem[] } {
  const takers = new Map(others.map((test) => [test.name, test]));
  const repeated = tests.flatMap(({ test, namePlace }): Problem[] => {
    const other = takers.get(test.name);
    if (other?.file === undefined || other.generatedFrom !== "manual" || test.generatedFrom !== "manual") {
      return [];
    }
    const message = `name: "${test.name}" is the name of another test: ${other.file}:${other.line ?? 1}`;
    return [{ file: test.file ?? "", ...namePlace(), message }];
  });
  const own = tests.map(({ test }) => test).filter(({ name }) => !takers.has(name));
  return { tests: own, problems: [...problems, ...repeated] };
}

/** Unless tests of another place were asked for in place of the plugin's own. */
async function filesOfPlugin(context: SessionParts, known: readonly string[]): Promise<string[]> {
  const folder = testFolder(context);
  if (known.some((file) => !file.startsWith(folder + sep)) || !await pathExists(folder)) return [];
  return await testFiles(folder);
}

/** Undefined where there is no file any more; what the plugin has put in its place is none. */
async function textOf(file: string): Promise<string | undefined> {
  const [folder, name] = [openConfined(dirname(file)), basename(file)];
  try {
    const { size = Infinity } = await folder.stat(name, { followWithin: true }) ?? {};
    return size > longestFile ? undefined : await folder.readText(name, { followWithin: true });
  } catch (error) {
    // What took a file's place is no test: a folder, a fifo, a link that leads out.
    if (error instanceof PthError && error.code === "PATH_REFUSED") return undefined;
    throw error;
  }
}

/** Test without its id, which depends on the other tests. */
const plain = ({ id: _id, ...test }: TestCase) => JSON.parse(JSON.stringify(test)) as object;

/** A test that has only moved in its file is the same. */
const meaning = ({ id: _id, ...test }: TestCase) =>
  JSON.parse(JSON.stringify(test, (key, value: unknown) => key === "line" ? undefined : value)) as object;
