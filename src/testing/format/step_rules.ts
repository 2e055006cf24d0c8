/** Rules across the keys of steps: what each does, and which variables it may use. */
import { isObject } from "../../core/values.ts";
import { suggestion } from "../../core/did_you_mean.ts";
import { textExcerpt } from "../../core/text.ts";
import { isTextCapture, textCaptureProblem } from "../match/capture_text.ts";
import { pathProblem } from "../match/values_at.ts";
import { isVariableName, variableReferences } from "./variables.ts";
import type { Path } from "../../core/read_source.ts";
import { assertionTable } from "../judge/assertion_table.ts";

/** Kinds of steps; each step has one. */
const stepKinds = ["tool", "read_resource", "subscribe", "get_prompt", "wait_for"] as const;

/** Keys that have a meaning only with one kind of step. */
const companions: Record<string, string> = { input: "tool", cancel: "tool", arguments: "get_prompt" };

/** Parts of a step where `$variable` is replaced; not its roots, which the server gets before the first step. */
const variablePlaces: readonly Path[] = [
  ["input"],
  ["read_resource"],
  ["subscribe"],
  ["arguments"],
  ["wait_for", "params"],
  ["replies", "elicitation"],
  ["replies", "sampling"],
];

/** Every rule that a list of steps breaks; `key` is `steps` or `tool_sequence`. */
export function stepRules(test: Record<string, unknown>, key: string): RuleProblem[] {
  const steps = test[key];
  if (!Array.isArray(steps)) return [];
  if (steps.length === 0) return [{ path: [key], message: "expected at least one step" }];
  const own = steps.flatMap((step, index) => isObject(step) ? rulesOfOne(step, [key, index]) : []);
  return [...own, ...variableRules(steps.map((step) => isObject(step) ? step : {}), key)];
}

function rulesOfOne(step: Record<string, unknown>, path: Path): RuleProblem[] {
  return [
    ...kindRules(step, path),
    ...cancelRules(step, path),
    ...replyRules(step, path),
    ...captureRules(step, path),
    ...expectRules(step, path, "step"),
  ];
}

function kindRules(step: Record<string, unknown>, path: Path): RuleProblem[] {
  const [first, ...more] = stepKinds.filter((kind) => kind in step);
  if (first === undefined) return [{ path, message: `expected one of ${stepKinds.join(", ")}` }];
  const several = more.map((kind) => ({
    path: [...path, kind],
    message: `expected one of ${first} and ${kind}, not both: a step does one thing`,
  }));
  const useless = Object.entries(companions).filter(([key, kind]) => key in step && !(kind in step));
  return [
    ...several,
    ...useless.map(([key, kind]) => ({
      path: [...path, key],
      message: `only a step with ${kind} takes ${key}`,
    })),
  ];
}

function cancelRules({ cancel }: Record<string, unknown>, path: Path): RuleProblem[] {
  if (!isObject(cancel) || ("after_ms" in cancel) !== ("on_progress" in cancel)) return [];
  return [{
    path: [...path, "cancel"],
    message: "expected one of after_ms (milliseconds) and on_progress (true)",
  }];
}

function replyRules({ replies }: Record<string, unknown>, path: Path): RuleProblem[] {
  if (!isObject(replies) || !Array.isArray(replies.elicitation)) return [];
  return replies.elicitation.flatMap((reply, index) =>
    isObject(reply) && "content" in reply && reply.action !== "accept"
      ? [{
        path: [...path, "replies", "elicitation", index, "content"],
        message: "only accept takes content",
      }]
      : []
  );
}

function captureRules({ capture }: Record<string, unknown>, path: Path): RuleProblem[] {
  if (!isObject(capture)) return [];
  return Object.entries(capture).flatMap(([name, jsonPath]) => {
    const at = [...path, "capture", name];
    if (!isVariableName(name)) {
      return [{ path: at, key: name, message: "expected the name of a variable: letters, digits and _" }];
    }
    const problem = typeof jsonPath === "string" ? captureProblem(jsonPath) : undefined;
    return problem === undefined ? [] : [{ path: at, message: problem }];
  });
}

function captureProblem(capture: string): string | undefined {
  const [what, problem] = isTextCapture(capture)
    ? ["a /pattern/", textCaptureProblem(capture)]
    : ["a JSONPath", pathProblem(capture)];
  return problem && `expected ${what}, got ${textExcerpt(capture, 80)}: ${problem}`;
}

/** A variable may be used after the step that captures it. */
function variableRules(steps: readonly Record<string, unknown>[], key: string): RuleProblem[] {
  const captured = steps.map(({ capture }) => isObject(capture) ? Object.keys(capture) : []);
  return steps.flatMap((step, index) => {
    const known = new Set(captured.slice(0, index).flat());
    return variablePlaces.flatMap((place) => textsIn(valueAt(step, place), [key, index, ...place])).flatMap(
      ({ text, path }) => [
        ...[...new Set(variableReferences(text))].filter((name) => !known.has(name))
          .map((name) => ({ path, message: unknownVariable(name, index, captured, known) })),
        ...bracedIn(text).filter((name) => captured.some((names) => names.includes(name)))
          .map((name) => ({
            path,
            message: `expected $${name}, without braces, for what was captured; a plain dollar is written $$`,
          })),
      ],
    );
  });
}

/** Names that a text refers to as a shell would. */
const bracedIn = (
  text: string,
): string[] => [
  ...new Set([...text.matchAll(/\$(?:\$|\{([A-Za-z_][A-Za-z0-9_]*)\})/g)].flatMap(([, name]) => name ?? [])),
];

function unknownVariable(name: string, index: number, captured: string[][], known: Set<string>): string {
  if (captured[index]!.includes(name)) {
    return `recursive capture: $${name} is what this step itself captures, from an answer that comes after it`;
  }
  const later = captured.findIndex((names, at) => at > index && names.includes(name));
  if (later !== -1) {
    return `recursive capture: $${name} is used before step ${
      later + 1
    } captures it; a step sees what earlier ones captured`;
  }
  const near = known.size === 0 ? " (no earlier step captures any)" : suggestion(name, [...known]);
  return `unknown variable $${name}${near}; a plain dollar is written $$`;
}

const valueAt = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>((part, segment) => isObject(part) ? part[segment] : undefined, value);

/** Every text within a value, with its path. */
function textsIn(value: unknown, path: Path): { text: string; path: Path }[] {
  if (typeof value === "string") return value.includes("$") ? [{ text: value, path }] : [];
  if (Array.isArray(value)) return value.flatMap((item, index) => textsIn(item, [...path, index]));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, item]) => textsIn(item, [...path, key]));
}

/** @param holder The test or step that has the `expect`, which lies at `path`. */
export function expectRules(
  holder: Record<string, unknown>,
  path: Path,
  kind: "test" | "step",
): RuleProblem[] {
  const { expect } = holder;
  if (!isObject(expect)) return [];
  const at = [...path, "expect"];
  const keys = Object.keys(expect);
  const problems: RuleProblem[] = [];
  const alone = keys.find((key) => assertionTable.get(key)?.assertion.exclusive);
  if (kind === "step" && "refuses" in expect) {
    problems.push({ path: [...at, "refuses"], message: "refuses is for tests of one call, not for steps" });
  } else if (alone !== undefined && keys.length > 1) {
    problems.push({ path: at, message: `${alone} stands alone, without other assertions` });
  }
  if (kind === "test" && "refuses" in expect && !("control" in holder)) {
    problems.push({ path: [...at, "refuses"], message: "refuses needs a control: an input that succeeds" });
  }
  const onError = keys.find((key) => key.startsWith("error_contains"));
  if (expect.success === true && onError !== undefined) {
    problems.push({ path: [...at, onError], message: `${onError} cannot hold when success is true` });
  }
  return problems;
}

export interface RuleProblem {
  path: Path;
  /** Set where the key itself is wrong, and the path is that of its value. */
  key?: string;
  message: string;
}
