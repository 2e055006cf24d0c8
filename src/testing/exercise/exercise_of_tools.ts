/** Tells of each tool whether the tests exercised it, so that a verdict says what was not tested. */
import type { ToolExercise } from "../../../machines/model/tool_exercise.ts";
import type { TestCase } from "../../../machines/model/test_case.ts";
import type { TestResult } from "../../../machines/model/test_result.ts";
import { refusalsDifferNote } from "../judge/refusals_differ.ts";
import { oneLine } from "../../core/text.ts";
import { toolsOf } from "../run/test_plan.ts";
import { refusedWords, unmetNeed } from "./unmet_need.ts";

export interface ExercisedSuite {
  /** Names of all tools that the server lists. */
  tools: readonly string[];
  tests: readonly TestCase[];
  /** Latest result of each test. */
  results: readonly TestResult[];
  /** Tools that no generated test may call, and why. */
  heldBack: readonly { tool: string; reason: string }[];
}

/** One account for each tool, in the server's order. */
export function exerciseOfTools({ tools, tests, results, heldBack }: ExercisedSuite): ToolExercise[] {
  const resultOf = new Map(results.map((result) => [result.id, result]));
  const byTool = new Map<string, { test: TestCase; result: TestResult }[]>();
  for (const test of tests) {
    const result = resultOf.get(test.id);
    if (result === undefined) continue;
    for (const tool of new Set(toolsOf(test))) {
      const ran = byTool.get(tool);
      if (ran === undefined) byTool.set(tool, [{ test, result }]);
      else ran.push({ test, result });
    }
  }
  const reasons = new Map(heldBack.map(({ tool, reason }) => [tool, reason]));
  return [...new Set(tools)].map((tool) => exerciseOf(tool, byTool.get(tool) ?? [], reasons.get(tool)));
}

function exerciseOf(
  tool: string,
  ran: readonly { test: TestCase; result: TestResult }[],
  heldBack: string | undefined,
): ToolExercise {
  const holds = ran.filter(({ result }) => result.status === "passed" || result.status === "flaky");
  if (holds.some(({ test, result }) => showsAcceptance(test, result, tool))) {
    return { tool, state: "exercised" };
  }
  const failed = ran.find(({ result }) => result.status === "failed")?.result;
  if (failed !== undefined) return { tool, state: "failing", reason: oneLine(failed.message ?? failed.name) };
  const refusal = ran.find(({ test, result }) => result.status === "skipped" && isRefusal(test, result));
  if (refusal !== undefined) {
    const words = refusedWords(refusal.result.note) ?? "";
    return { tool, state: "refused", needs: unmetNeed(words), reason: oneLine(words) };
  }
  if (heldBack !== undefined) return { tool, state: "excluded", reason: heldBack };
  const skipped = ran.find(({ result }) => result.status === "skipped")?.result.note;
  return { tool, state: "not_reached", reason: skipped === undefined ? whyNone(ran) : oneLine(skipped) };
}

const whyNone = (ran: readonly unknown[]): string =>
  ran.length === 0 ? "no test calls it" : "its tests only give it input that it must refuse";

const isRefusal = ({ expect, steps = [] }: TestCase, { note }: TestResult): boolean =>
  [{ expect }, ...steps].some(({ expect }) => expect.well_behaved === true) &&
  refusedWords(note) !== undefined;

/** Whether a pass of the test shows that the tool accepted a call: one that it must refuse does so by its control. */
function showsAcceptance(
  { tool: called, expect, control, steps = [] }: TestCase,
  { note = "" }: TestResult,
  tool: string,
): boolean {
  if (called === tool) {
    return !expectsError(expect) || (control !== undefined && !note.includes(refusalsDifferNote));
  }
  return steps.some(({ action, expect: expected, cancel }) =>
    action.kind === "call" && action.tool === tool && cancel === undefined && !expectsError(expected)
  );
}

const expectsError = (expect: TestCase["expect"]): boolean =>
  expect.refuses !== undefined || expect.success === false || expect.error_contains !== undefined;
