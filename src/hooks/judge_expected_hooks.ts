/** Judges a report on hooks by what a test expects. */
import { validatorFor } from "../client/schema_problems.ts";
import { oneLine } from "../core/text.ts";
import { boundedMatch } from "../testing/match/bounded_match.ts";
import type { FiredHook, HookReport } from "./fire_hooks.ts";
import type { ExpectedText, HookExpectation } from "./format/hook_test_schema.ts";

/**
 * @param hook Text in the command of the hooks that are looked at
 * @returns what was not as expected, one line each
 */
export function judgeExpectedHooks(
  { expect, hook: wanted }: { expect: HookExpectation; hook?: string | undefined },
  report: HookReport,
): string[] {
  const failures: string[] = [];
  const say = (message: string | undefined) =>
    message === undefined ? undefined : void failures.push(message);
  const same = (what: string, expected: unknown, actual: unknown) => {
    if (expected !== undefined && expected !== actual) {
      failures.push(`${what}: expected ${shown(expected)}, got ${shown(actual)}`);
    }
  };
  const ran = report.hooks.filter(({ outcome }) => outcome !== undefined);
  const looked = wanted === undefined ? ran : ran.filter(({ subject }) => subject.includes(wanted));
  same("decision", expect.decision, report.decision);
  same("stops", expect.stops, report.stops);
  same("ran", expect.ran, looked.length);
  say(ruleFailure("reason", expect.reason, report.reasons.join("\n")));
  say(ruleFailure("context", expect.context, report.context.join("\n")));
  say(ruleFailure("message", expect.message, report.messages.join("\n")));
  say(schemaFailure("updated_input", expect.updated_input, report.updatedInput));
  const ofEach = ["outcome", "exit_code", "stdout", "stderr", "answer", "max_ms"] as const;
  const needed = ofEach.filter((key) => expect[key] !== undefined);
  if (needed.length > 0 && looked.length === 0) {
    failures.push(`${needed.join(", ")}: ${noneRan(wanted, report)}`);
  }
  for (const hook of looked) {
    const of = (key: string) => looked.length === 1 ? key : `${key} of ${oneLine(hook.subject, 60)}`;
    same(of("outcome"), expect.outcome, hook.outcome);
    same(of("exit_code"), expect.exit_code, hook.exitCode);
    say(ruleFailure(of("stdout"), expect.stdout, hook.stdout ?? ""));
    say(ruleFailure(of("stderr"), expect.stderr, hook.stderr ?? ""));
    say(schemaFailure(of("answer"), expect.answer, hook.answer));
    const took = Math.ceil(hook.durationMs ?? 0);
    if (expect.max_ms !== undefined && took > expect.max_ms) {
      failures.push(`${of("max_ms")}: expected at most ${expect.max_ms} ms, it took ${took} ms`);
    }
  }
  failures.push(
    ...changeFailures(expect.changes, report.changes),
    ...faultFailures(expect.faults, report.hooks),
  );
  return failures;
}

const shown = (value: unknown): string => value === undefined ? "nothing" : JSON.stringify(value);

function noneRan(wanted: string | undefined, { hooks }: HookReport): string {
  const [first] = hooks.filter(({ subject }) => wanted === undefined || subject.includes(wanted));
  const why = first?.skipped === undefined ? "" : `; ${first.skipped}`;
  return wanted === undefined ? `no hook ran${why}` : `no hook with "${wanted}" ran${why}`;
}

function ruleFailure(what: string, rule: ExpectedText | undefined, text: string): string | undefined {
  if (rule === undefined) return undefined;
  const { equals, contains = [], lacks = [], matches }: Exclude<ExpectedText, string> =
    typeof rule === "string" ? { contains: rule } : rule;
  const got = `got ${oneLine(text, 300) || "nothing"}`;
  if (equals !== undefined && equals.trim() !== text.trim()) {
    return `${what}: expected ${shown(equals)}, ${got}`;
  }
  const missing = [contains].flat().find((each) => !text.includes(each));
  if (missing !== undefined) return `${what}: expected ${shown(missing)} in it, ${got}`;
  const there = [lacks].flat().find((each) => text.includes(each));
  if (there !== undefined) return `${what}: expected no ${shown(there)} in it, ${got}`;
  if (matches === undefined) return undefined;
  const matched = boundedMatch(matches, "", text);
  if (matched === true) return undefined;
  return `${what}: expected a match of /${matches}/${
    matched === false ? "" : " (the pattern runs away)"
  }, ${got}`;
}

function schemaFailure(
  what: string,
  schema: Record<string, unknown> | undefined,
  value: unknown,
): string | undefined {
  if (schema === undefined) return undefined;
  if (value === undefined) return `${what}: there is none`;
  const [first] = validatorFor(schema)!(value);
  return first === undefined ? undefined : `${what}: ${first}`;
}

function changeFailures(
  expected: HookExpectation["changes"],
  changes: HookReport["changes"],
): string[] {
  if (expected === undefined) return [];
  return (["added", "changed", "removed"] as const).flatMap((kind) => {
    const wanted = expected[kind] ?? [];
    const found = changes.filter(({ change }) => change === kind).map(({ path }) => path);
    return [
      ...wanted.filter((path) => !found.includes(path)).map((path) => `changes: ${path} was not ${kind}`),
      ...found.filter((path) => !wanted.includes(path)).map((path) => `changes: ${path} was ${kind}`),
    ];
  });
}

/** Without an expectation no hook may have a fault: one that failed would pass as one that allows. */
function faultFailures(rule: ExpectedText | undefined, hooks: readonly FiredHook[]): string[] {
  const faults = hooks.flatMap(({ subject, diagnoses }) =>
    diagnoses.filter(({ fault }) => fault).map(({ message }) => `${oneLine(subject, 60)}: ${message}`)
  );
  if (rule === undefined) return faults.map((fault) => `fault: ${fault}`);
  const failure = ruleFailure("faults", rule, faults.join("\n"));
  return failure === undefined ? [] : [failure];
}
