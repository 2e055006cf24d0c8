/** One real call of a tool, from a test that passed, for the tool's documentation. */
import type { Observation } from "../../../machines/model/observation.ts";
import type { CallOutcome } from "../../../machines/model/plugin.ts";
import type { TestCase } from "../../../machines/model/test_case.ts";

export interface ToolExample {
  /** Name and id of the test, and the commit that the plugin was of. */
  test: string;
  testId: string;
  commit?: string;
  input: Record<string, unknown>;
  /** What the tool answered, shortened. */
  output: string;
  byHand: boolean;
}

/** Most characters that are kept of an answer. */
const longest = 2000;

/** A call in a test that passed: the test's own, or one of its steps. */
export interface ExampleCall {
  tool: string;
  input: Record<string, unknown>;
  expect: Record<string, unknown>;
  outcome: CallOutcome | undefined;
}

/** All calls of a test. */
export function callsIn(test: TestCase, { outcome, steps = [] }: Observation): ExampleCall[] {
  if (test.tool !== undefined) {
    return [{ tool: test.tool, input: test.input ?? {}, expect: test.expect, outcome }];
  }
  return steps.flatMap(({ action, outcome }, index) =>
    action.kind === "call"
      ? [{ tool: action.tool, input: action.input, expect: test.steps?.[index]?.expect ?? {}, outcome }]
      : []
  );
}

/** The better example of a tool: one that a person wrote, one that has an answer to show, else the first. Refusals and errors are no example. */
export function betterExample(
  known: ToolExample | undefined,
  test: TestCase,
  { input, expect, outcome }: ExampleCall,
  commit: string | undefined,
): ToolExample | undefined {
  if (outcome === undefined || outcome.isError || "refuses" in expect) return known;
  const byHand = test.generatedFrom === "manual";
  const outdated = known !== undefined && known.commit !== commit;
  const better = known === undefined || outdated || (known.output === "" && outcome.text !== "") ||
    (byHand && !known.byHand);
  if (!better) return known;
  const { id: testId, name } = test;
  const of = commit === undefined ? {} : { commit };
  return { test: name, testId, ...of, input, output: outcome.text.slice(0, longest), byHand };
}
