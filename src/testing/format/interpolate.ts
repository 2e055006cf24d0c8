/**
 * Replaces `${env:NAME}` in tests by variables and secrets of the session, and escapes texts that only look like
 * references.
 */
import type { TestCase, TestStep } from "../../../machines/model/test_case.ts";
import { PthError } from "../../core/errors.ts";
import { isObject } from "../../core/values.ts";
import { pathText } from "../../core/issue_text.ts";
import { escapeVariables } from "./variables.ts";
import type { Path } from "../../core/read_source.ts";
import type { GeneratedInput } from "../json_schema/schema_properties.ts";

/** A second `$` in front keeps the text as it is. */
const reference = /(\$?)\$\{env:([^}]*)\}/g;

/**
 * A test with every `${env:NAME}` in its inputs, expectations, commands and files replaced; `$${env:NAME}` stands for
 * the text `${env:NAME}`. In a pattern (`…_matches`) the value is escaped to match literally; where `$variable` is
 * replaced later, a dollar in the value stays one.
 * @throws {PthError} `INVALID_TEST_FILE` that names every unknown variable and where it is used.
 */
export function interpolateTest(test: TestCase, values: ReadonlyMap<string, string>): TestCase {
  return interpolateTests([test], values)[0]!;
}

/** Interpolates a whole suite like `interpolateTest`, and reports unknown names of all tests at once. */
export function interpolateTests(
  tests: readonly TestCase[],
  values: ReadonlyMap<string, string>,
): TestCase[] {
  const unknown: string[] = [];
  const done = tests.map((test) => {
    const report = (name: string, path: Path) =>
      unknown.push(`${decidingPlace(test)} ${pathText(path)}: \${env:${name}} names no variable or secret`);
    const put = <T>(key: keyof TestCase, value: T): T =>
      replaceIn(value, [key], valueIn(values), report) as T;
    const { input, control, steps } = test;
    return {
      ...test,
      ...(input === undefined ? {} : { input: put("input", input) }),
      ...(control === undefined ? {} : { control: put("control", control) }),
      ...(steps === undefined
        ? {}
        : { steps: steps.map((step, index) => interpolateStep(step, index, values, report)) }),
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
        next: [{
          terminal: "Give a plain value with --var NAME=VALUE, or a secret with --secret NAME",
          mcp: 'Give values: pth_start_session({ pluginPath, variables: { NAME: "…" } })',
        }],
      },
    );
  }
  return done;
}

/** Text that must not be taken for a reference, as it is written in a test. */
export const escapeReferences = (text: string): string => text.replace(reference, (found) => `$${found}`);

function decidingPlace(test: TestCase): string {
  return test.file === undefined ? `test "${test.name}"` : `${test.file}:${test.line ?? 1}`;
}

type Report = (name: string, path: Path) => void;

/** Text of a variable as it goes into a place; undefined for one that does not exist. */
type ValueIn = (name: string, path: Path) => string | undefined;

/** In a pattern the value must not be read as one. */
const valueIn = (values: ReadonlyMap<string, string>): ValueIn => (name, path) => {
  const inPattern = path.some((step) => typeof step === "string" && /_matches(?:_i)?$/.test(step));
  return inPattern ? values.get(name)?.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&") : values.get(name);
};

function interpolateStep(
  step: TestStep,
  index: number,
  values: ReadonlyMap<string, string>,
  report: Report,
): TestStep {
  const path = ["steps", index];
  const plain = valueIn(values);
  const escaped: ValueIn = (name) => {
    const value = values.get(name);
    return value === undefined ? undefined : escapeVariables(value);
  };
  const { action, expect, verify, replies } = step;
  return {
    ...step,
    action: replaceIn(action, path, escaped, report) as TestStep["action"],
    expect: replaceIn(expect, [...path, "expect"], plain, report) as TestStep["expect"],
    verify: replaceIn(verify, [...path, "verify"], plain, report) as TestStep["verify"],
    ...(replies === undefined ? {} : {
      replies: {
        ...replaceIn(replies, [...path, "replies"], escaped, report) as NonNullable<TestStep["replies"]>,
        ...(replies.roots === undefined ? {} : {
          roots: replaceIn(
            replies.roots,
            [...path, "replies", "roots"],
            plain,
            () => {},
          ) as typeof replies.roots,
        }),
      },
    }),
  };
}

function replaceIn(value: unknown, path: Path, valueOf: ValueIn, report: Report): unknown {
  if (Array.isArray(value)) {
    return value.map((item, index) => replaceIn(item, [...path, index], valueOf, report));
  }
  if (isObject(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, replaceIn(item, [...path, key], valueOf, report)]),
    );
  }
  if (typeof value !== "string" || !value.includes("${env:")) return value;
  return value.replace(reference, (found, escaped: string, name: string) => {
    if (escaped !== "") return found.slice(1);
    const text = valueOf(name, path);
    if (text === undefined) report(name, path);
    return text ?? found;
  });
}

/** Escapes texts of a schema or a document, which are never references to variables. */
export const escapeInput = (input: GeneratedInput): GeneratedInput =>
  inTexts(input, escapeReferences) as GeneratedInput;

/** Escapes the input of a step like `escapeInput`, where `$name` is a variable, too. */
export const escapeStepInput = (input: GeneratedInput): GeneratedInput =>
  inTexts(input, (text) => escapeReferences(escapeVariables(text))) as GeneratedInput;

function inTexts(value: unknown, escape: (text: string) => string): unknown {
  if (typeof value === "string") return escape(value);
  if (Array.isArray(value)) return value.map((item) => inTexts(item, escape));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, inTexts(item, escape)]));
}
