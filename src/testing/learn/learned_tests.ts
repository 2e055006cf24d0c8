/** Tests of inputs that were learned: a call, or a scenario where other calls come before. */
import type { PreparingCall } from "../../../machines/model/fuzz.ts";
import type { LearnedInput } from "../../../machines/model/learned.ts";
import type { TestCase, TestStep } from "../../../machines/model/test_case.ts";
import { visibleName } from "../../core/text.ts";
import { learnedFile } from "./learned_file.ts";
import { replaceVariables } from "../format/variables.ts";

/** Each must be accepted as it was once; a refusal skips the test. A person's own expectations decide in their place. */
export function learnedTests(learned: readonly LearnedInput[]): TestCase[] {
  const numbers = new Map<string, number>();
  return learned.map((each) => {
    const number = (numbers.get(each.tool) ?? 0) + 1;
    numbers.set(each.tool, number);
    return learnedTest(each, number);
  });
}

const accepted = { well_behaved: true };

function learnedTest({ tool, setup, input, expect = accepted }: LearnedInput, number: number): TestCase {
  const before = [...new Set(setup.map((call) => visibleName(call.tool)))].join(", ").slice(0, 150);
  const name = `${visibleName(tool)} - learned input${number === 1 ? "" : ` ${number}`}` +
    (setup.length === 0 ? "" : `, after ${before}`);
  const common = {
    id: "",
    name,
    verify: [],
    setup: [],
    teardown: [],
    tags: ["generated", "learned"],
    generatedFrom: "learned",
    origin: `${learnedFile}: ${tool}${number === 1 ? "" : ` ${number}`}`,
  } satisfies Partial<TestCase>;
  // Outside of steps a dollar is a dollar.
  if (setup.length === 0) return { ...common, tier: 1, tool, input: replaceVariables(input, {}), expect };
  const steps = [
    ...setup.map((call) => stepOf(call, accepted)),
    stepOf({ tool, input, capture: {} }, expect),
  ];
  return { ...common, tier: 2, steps, expect: {} };
}

const stepOf = ({ tool, input, capture }: PreparingCall, expect: Record<string, unknown>): TestStep => ({
  action: { kind: "call", tool, input },
  expect,
  capture,
  verify: [],
});
