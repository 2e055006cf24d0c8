/** Order of tests that are shared among servers, where any order is as good as another. */
import type { TestCase } from "../../../machines/model/test_case.ts";

interface Planned {
  test: Pick<TestCase, "tool" | "generatedFrom">;
}

/**
 * Tests of one tool after each other, in the order in which their tools come first; those written by hand stay before generated
 * ones. A server gets a moment before a call of another tool than the last (`markCall`): the fewer such calls, the less is waited for.
 */
export function orderByTool<Each extends Planned>(tests: readonly Each[]): Each[] {
  const ofTool = new Map<string, Each[]>();
  for (const planned of tests) {
    const { tool = "", generatedFrom } = planned.test;
    const key = JSON.stringify([generatedFrom === "manual", tool]);
    const others = ofTool.get(key);
    if (others === undefined) ofTool.set(key, [planned]);
    else others.push(planned);
  }
  return [...ofTool.values()].flat();
}
