/** Test files as text to tests. */
import type { TestCase } from "../../../machines/model/test_case.ts";
import { suggestion } from "../../core/did_you_mean.ts";
import { textExcerpt } from "../../core/text.ts";
import { assignIds } from "./ids.ts";
import { issueText, pathText } from "../../core/issue_text.ts";
import { invalidTestFiles, type Problem } from "../../core/problems.ts";
import { readTest } from "./read_test.ts";
import { brokenRules } from "./broken_rules.ts";
import { knownKeys, testSchema, type TestText } from "./test_schema.ts";
import { type Path, readSource } from "../../core/read_source.ts";

/**
 * Reads the tests of one file: YAML documents, each a test or a list of tests; or JSON.
 * @param file Name for messages, and `TestCase.file`.
 * @throws {PthError} `INVALID_TEST_FILE` with every problem (`context.problems`).
 */
export function parseTests(file: string, text: string): TestCase[] {
  const { tests: found, problems } = readFoundTests(file, text);
  const { tests, problems: repeated } = uniqueNames(found);
  const all = [...problems, ...repeated];
  if (all.length > 0) throw invalidTestFiles(all);
  return assignIds(tests);
}

export interface FoundTest {
  test: TestCase;
  /** Place of its name; to find it may take reading the file with care. */
  namePlace(): { line: number; column: number };
}

/**
 * Parses tests like `parseTests`, but gathers problems, and leaves ids and equal names to the caller, who knows the
 * whole suite.
 */
export function readFoundTests(file: string, text: string): { tests: FoundTest[]; problems: Problem[] } {
  const source = readSource(file, text);
  const problems = [...source.problems];
  const tests: FoundTest[] = [];
  for (const document of source.documents) {
    const list = Array.isArray(document.value) ? document.value : undefined;
    const entries: [unknown, Path][] = list?.map((value, index) => [value, [index]]) ??
      [[document.value, []]];
    for (const [value, path] of entries) {
      const found = problemsOf(value);
      for (const { key, at, message } of found) {
        const whole = [...path, ...at];
        const place = key === undefined ? document.place(whole) : document.placeOfKey(whole, key);
        problems.push({ file, ...place, message });
      }
      if (found.length > 0) continue;
      const decidingPlace = (at: Path) => document.place([...path, ...at]);
      tests.push({
        test: readTest(value as TestText, file, decidingPlace),
        namePlace: () => decidingPlace(["name"]),
      });
    }
  }
  if (tests.length === 0 && problems.length === 0) {
    problems.push({ file, line: 1, column: 1, message: "expected at least one test, the file has none" });
  }
  return { tests, problems };
}

interface Found {
  at: Path;
  /** Set where the key itself is wrong, not its value. */
  key?: string;
  message: string;
}

function problemsOf(value: unknown): Found[] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return [{
      at: [],
      message: `expected a test (a map with a name and a tool), got ${textExcerpt(value, 80)}`,
    }];
  }
  const test = value as Record<string, unknown>;
  const issues = testSchema.safeParse(test).error?.issues ?? [];
  const found = issues.flatMap((issue): Found[] => {
    const at = issue.path as Path;
    if (issue.code !== "unrecognized_keys") return [{ at, message: issueText(issue, test) }];
    return issue.keys.map((key) => ({ at, key, message: unknownKey(at, key) }));
  });
  const rules = brokenRules(test).map(({ path, key, message }): Found => ({
    at: key === undefined ? path : path.slice(0, -1),
    ...(key === undefined ? {} : { key }),
    message: path.length === 0 ? message : `${pathText(path)}: ${message}`,
  }));
  return [...found, ...rules];
}

function unknownKey(at: Path, key: string): string {
  const where = at.length === 0 ? "" : `${pathText(at)}: `;
  return `${where}unknown key "${key}"${suggestion(key, knownKeys(at))}`;
}

/** The tests without those whose name was taken before, each of which is a problem that names both places. */
export function uniqueNames(found: readonly FoundTest[]): { tests: TestCase[]; problems: Problem[] } {
  const first = new Map<string, FoundTest>();
  const tests: TestCase[] = [];
  const problems: Problem[] = [];
  for (const each of found) {
    const { test } = each;
    const before = isByHand(test) ? first.get(test.name) : undefined;
    if (before === undefined) {
      if (isByHand(test)) first.set(test.name, each);
      tests.push(test);
      continue;
    }
    const { line, column } = before.namePlace();
    const message = `name: "${test.name}" is the name of another test: ${before.test.file}:${line}:${column}`;
    problems.push({ file: test.file ?? "", ...each.namePlace(), message });
  }
  return { tests, problems };
}

/** True for a test written by hand. It replaces a generated test of the same name. */
const isByHand = ({ generatedFrom, file }: TestCase): boolean =>
  generatedFrom === "manual" && file?.replaceAll("\\", "/").includes("/.pth/tests/generated/") !== true;
