/** `${env:NAME}` in tests: variables and secrets of the session, put in when a test runs. */
import type { TestCase } from "../../machines/model/test_case.ts";
import { PthError } from "../errors.ts";
import { pathText } from "./issue_text.ts";
import type { Path } from "./yaml_source.ts";

/** A second `$` in front keeps the text as it is. */
const reference = /(\$?)\$\{env:([^}]*)\}/g;

/**
 * A test with every `${env:NAME}` in its inputs, expectations, commands and files replaced; `$${env:NAME}` stands for
 * the text `${env:NAME}`. In a pattern (`…_matches`) the value stands for itself, not for a pattern.
 * @throws {PthError} `INVALID_TEST_FILE` that names every unknown variable and where it is used.
 */
export function interpolateTest(test: TestCase, values: ReadonlyMap<string, string>): TestCase {
  return interpolateTests([test], values)[0]!;
}

/** As `interpolateTest`, for a whole suite: unknown names of all tests at once. */
export function interpolateTests(
  tests: readonly TestCase[],
  values: ReadonlyMap<string, string>,
): TestCase[] {
  const unknown: string[] = [];
  const done = tests.map((test) => {
    const report = (name: string, path: Path) =>
      unknown.push(`${placeOf(test)} ${pathText(path)}: \${env:${name}} names no variable or secret`);
    const put = <T>(key: keyof TestCase, value: T): T => replaceIn(value, [key], values, report) as T;
    const { input, control } = test;
    return {
      ...test,
      ...(input === undefined ? {} : { input: put("input", input) }),
      ...(control === undefined ? {} : { control: put("control", control) }),
      expect: put("expect", test.expect),
      verify: put("verify", test.verify),
      setup: put("setup", test.setup),
      teardown: put("teardown", test.teardown),
    };
  });
  if (unknown.length > 0) {
    throw new PthError(
      "INVALID_TEST_FILE",
      `Cannot fill in tests: unknown variables\n${unknown.join("\n")}`,
      {
        tried: [...values.keys()].sort(),
        next: ["Give a plain value with --var NAME=VALUE, or a secret with --secret NAME"],
      },
    );
  }
  return done;
}

/** Text that must not be taken for a reference, as it is written in a test. */
export const escapeReferences = (text: string): string => text.replace(reference, (found) => `$${found}`);

function placeOf(test: TestCase): string {
  return test.file === undefined ? `test "${test.name}"` : `${test.file}:${test.line ?? 1}`;
}

type Report = (name: string, path: Path) => void;

function replaceIn(value: unknown, path: Path, values: ReadonlyMap<string, string>, report: Report): unknown {
  if (Array.isArray(value)) {
    return value.map((item, index) => replaceIn(item, [...path, index], values, report));
  }
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, replaceIn(item, [...path, key], values, report)]),
    );
  }
  if (typeof value !== "string") return value;
  const inPattern = path.some((step) => typeof step === "string" && /_matches(?:_i)?$/.test(step));
  return value.replace(reference, (found, escaped: string, name: string) => {
    if (escaped !== "") return found.slice(1);
    const text = values.get(name);
    if (text === undefined) {
      report(name, path);
      return found;
    }
    return inPattern ? text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&") : text;
  });
}
