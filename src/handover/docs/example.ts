/** One real call of a tool, from a test that passed, for the tool's documentation. */
import type { CallOutcome } from "../../../machines/model/plugin.ts";
import type { TestCase } from "../../../machines/model/test_case.ts";

export interface ToolExample {
  /** Name of the test. */
  test: string;
  input: Record<string, unknown>;
  /** What the tool answered, shortened. */
  output: string;
  byHand: boolean;
}

/** Most characters that are kept of an answer. */
const longest = 2000;

/** The better example of a tool: one that a person wrote, one that has an answer to show, else the first. Refusals and errors are no example. */
export function betterExample(
  known: ToolExample | undefined,
  test: TestCase,
  outcome: CallOutcome | undefined,
): ToolExample | undefined {
  if (outcome === undefined || outcome.isError || "refuses" in test.expect) return known;
  const byHand = test.generatedFrom === "manual";
  const better = known === undefined || (known.output === "" && outcome.text !== "") ||
    (byHand && !known.byHand);
  if (!better) return known;
  return { test: test.name, input: test.input ?? {}, output: outcome.text.slice(0, longest), byHand };
}
