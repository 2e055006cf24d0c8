/** Rules across the keys of a test, which hold whatever else is wrong with it. */
import { assertionTable } from "./assertion_table.ts";
import type { Path } from "./yaml_source.ts";
import { isObject } from "../values.ts";

export interface RuleProblem {
  path: Path;
  message: string;
}

const listOf = (value: unknown): unknown[] => Array.isArray(value) ? value : [];

/** Keys of Tiers 2 and 3, whose tests this version reads but cannot run. */
const laterTiers: Record<string, number> = { steps: 2, prompt: 3, tool_sequence: 3, checklist: 3 };

/** The tier that a test is for, when it is not 1. */
export function laterTier(test: Record<string, unknown>): { tier: number; path: Path } | undefined {
  if (test.tier === 2 || test.tier === 3) return { tier: test.tier, path: ["tier"] };
  const key = Object.keys(laterTiers).find((name) => name in test);
  return key === undefined ? undefined : { tier: laterTiers[key]!, path: [key] };
}

/** Every rule that a test breaks. */
export function brokenRules(test: Record<string, unknown>): RuleProblem[] {
  return [
    ...subjectRules(test),
    ...expectRules(test),
    ...["setup", "teardown"].flatMap((key) => stepRules(test, key)),
    ...jsonRules(test.input, ["input"]),
    ...(isObject(test.expect) ? jsonRules(test.expect, ["expect"]) : []),
  ];
}

function subjectRules(test: Record<string, unknown>): RuleProblem[] {
  const hasTool = "tool" in test;
  if (!("check" in test)) {
    return hasTool ? [] : [{ path: [], message: "expected a tool (the tool to call) or a check" }];
  }
  const problems: RuleProblem[] = [];
  if (hasTool) problems.push({ path: ["check"], message: "expected one of tool and check, not both" });
  const useless = ["input", "expect", "control", "verify"].filter((key) => key in test);
  for (const key of hasTool ? [] : useless) {
    problems.push({ path: [key], message: `a check takes no ${key}` });
  }
  return problems;
}

function expectRules(test: Record<string, unknown>): RuleProblem[] {
  const { expect } = test;
  if (!isObject(expect)) return [];
  const keys = Object.keys(expect);
  const problems: RuleProblem[] = [];
  const alone = keys.find((key) => assertionTable.get(key)?.assertion.exclusive);
  if (alone !== undefined && keys.length > 1) {
    problems.push({ path: ["expect"], message: `${alone} stands alone, without other assertions` });
  }
  if ("refuses" in expect && !("control" in test)) {
    problems.push({
      path: ["expect", "refuses"],
      message: "refuses needs a control: an input that succeeds",
    });
  }
  const onError = keys.find((key) => key.startsWith("error_contains"));
  if (expect.success === true && onError !== undefined) {
    problems.push({ path: ["expect", onError], message: `${onError} cannot hold when success is true` });
  }
  return problems;
}

function stepRules(test: Record<string, unknown>, key: string): RuleProblem[] {
  return listOf(test[key]).flatMap((step, index) =>
    isObject(step) && ("exec" in step) === ("file" in step)
      ? [{ path: [key, index], message: "expected one of exec (a command) and file (path and content)" }]
      : []
  );
}

/** YAML knows values that JSON-RPC cannot carry. */
function jsonRules(value: unknown, path: Path): RuleProblem[] {
  if (typeof value === "number" && !Number.isFinite(value)) {
    return [{ path, message: `expected a JSON value, got ${value}` }];
  }
  if (Array.isArray(value)) return value.flatMap((item, index) => jsonRules(item, [...path, index]));
  if (isObject(value)) return Object.entries(value).flatMap(([key, item]) => jsonRules(item, [...path, key]));
  return [];
}
