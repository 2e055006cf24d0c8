/** Rules across the keys of a test, independent of its other mistakes. */
import { normalize } from "node:path/posix";
import type { Tier } from "../../../machines/model/environment.ts";
import { isObject } from "../../core/values.ts";
import { expectRules, type RuleProblem, stepRules } from "./step_rules.ts";
import type { Path } from "../../core/read_source.ts";
/** Subjects of a test, each with the tier that it gives the test; a test has exactly one. */
const subjects = { tool: 1, check: 1, steps: 2, prompt: 3, tool_sequence: 3 } as const satisfies Record<
  string,
  Tier
>;
type Subject = keyof typeof subjects;
const subjectNames = Object.keys(subjects) as Subject[];

/** Keys that have no meaning with a subject. */
const useless: Record<Subject, readonly string[]> = {
  tool: ["checklist"],
  check: ["input", "expect", "control", "verify", "checklist"],
  steps: ["input", "expect", "control", "checklist"],
  prompt: ["input", "expect", "control"],
  tool_sequence: ["input", "expect", "control"],
};

/** The tier of a test that names none. */
export const tierOf = (test: object): Tier => {
  const subject = subjectNames.find((name) => name in test);
  return subject === undefined ? 1 : subjects[subject];
};

/** Every rule that a test breaks. */
export function brokenRules(test: Record<string, unknown>): RuleProblem[] {
  return [
    ...subjectRules(test),
    ...expectRules(test, [], "test"),
    ...["steps", "tool_sequence"].flatMap((key) => stepRules(test, key)),
    ...["setup", "teardown"].flatMap((key) => preparationRules(test, key)),
    ...["input", "control", "expect", "steps", "tool_sequence"].filter((key) => !isJson(test[key]))
      .flatMap((key) => jsonRules(test[key], [key])),
  ];
}

function subjectRules(test: Record<string, unknown>): RuleProblem[] {
  const [subject, ...more] = subjectNames.filter((name) => name in test);
  if (subject === undefined) {
    const message =
      "expected one of tool (the tool to call), check, steps (a scenario), prompt and tool_sequence (an agent's work)";
    return [{ path: [], message }];
  }
  if (more.length > 0) {
    return more.map((other) => ({
      path: [other],
      message: `expected one of ${subject} and ${other}, not both`,
    }));
  }
  return [
    ...tierRules(test, subject),
    ...useless[subject].filter((key) => key in test)
      .map((key) => ({ path: [key], message: uselessText(subject, key) })),
    ...evidenceRules(test),
    ...("config" in test && subject !== "check"
      ? [{ path: ["config"], message: "config is for a check: only that has a server of its own" }]
      : []),
  ];
}

function tierRules({ tier }: Record<string, unknown>, subject: Subject): RuleProblem[] {
  const own = subjects[subject];
  if (tier === own || ![1, 2, 3].includes(tier as number)) return [];
  return [{ path: ["tier"], message: `expected ${own}, the tier of a test with ${subject}, got ${tier}` }];
}

function uselessText(subject: Subject, key: string): string {
  if (key === "checklist") return `a test with ${subject} takes no checklist: that is for tier 3`;
  if (subject === "check") return `a check takes no ${key}`;
  const where = subject === "prompt"
    ? "verify and checklist say what must come of it"
    : `it belongs to the ${subject}`;
  return `a test with ${subject} takes no ${key}: ${where}`;
}

/** Requires a criterion by which the work of an agent is judged. */
function evidenceRules(test: Record<string, unknown>): RuleProblem[] {
  if (!("prompt" in test) || "checklist" in test || "verify" in test) return [];
  return [{
    path: ["prompt"],
    message: "expected a checklist or verify with a prompt: nothing else would judge it",
  }];
}

function preparationRules(test: Record<string, unknown>, key: string): RuleProblem[] {
  const steps = test[key];
  if (!Array.isArray(steps)) return [];
  return steps.flatMap((step, index): RuleProblem[] => {
    if (!isObject(step)) return [];
    if (("exec" in step) === ("file" in step)) {
      return [{
        path: [key, index],
        message: "expected one of exec (a command) and file (path and content)",
      }];
    }
    const path = isObject(step.file) ? step.file.path : undefined;
    if (typeof path !== "string" || !leavesFolder(path)) return [];
    const message = "expected a path within the plugin's folder, or an absolute one in the environment";
    return [{ path: [key, index, "file", "path"], message: `${message}; this one leaves the folder` }];
  });
}

/** A relative path that climbs out of where it starts; backslashes count as well. */
const leavesFolder = (path: string): boolean => /^\.\.(?:\/|$)/.test(normalize(path.replaceAll("\\", "/")));

/** Whether `jsonRules` finds nothing: it is asked of every value, and paths take time. */
function isJson(value: unknown): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || value === null) return true;
  return (Array.isArray(value) ? value : Object.values(value)).every(isJson);
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
