/** Two tests by hand of one name in a suite: one of them would be taken for the other in reports and filters. */
import type { TestCase } from "../../../machines/model/test_case.ts";
import type { FoundTest } from "./parse.ts";
import type { Problem } from "../../core/problems.ts";

/** The tests without those whose name was taken before, each of which is a problem that names both places. */
export function uniqueNames(found: readonly FoundTest[]): { tests: TestCase[]; problems: Problem[] } {
  const first = new Map<string, FoundTest>();
  const tests: TestCase[] = [];
  const problems: Problem[] = [];
  for (const each of found) {
    const { test, namePlace } = each;
    const before = isByHand(test) ? first.get(test.name) : undefined;
    if (before === undefined) {
      if (isByHand(test)) first.set(test.name, each);
      tests.push(test);
      continue;
    }
    const { line, column } = before.namePlace;
    const message = `name: "${test.name}" is the name of another test: ${before.test.file}:${line}:${column}`;
    problems.push({ file: test.file ?? "", ...namePlace, message });
  }
  return { tests, problems };
}

/** What PTH proposed may stand beside a test by hand of the same name, which then takes its place. */
const isByHand = ({ generatedFrom, file }: TestCase): boolean =>
  generatedFrom === "manual" && file?.replaceAll("\\", "/").includes("/.pth/tests/generated/") !== true;
