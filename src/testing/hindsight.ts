/** What earlier tests of a run make pointless: waiting for a tool again that has shown that it never answers. */
import type { TestCase } from "../../machines/model/test_case.ts";
import type { Verdict } from "../../machines/model/test_result.ts";
import { isOpenEnded } from "./assertion_table.ts";
import { skipped } from "./verdict.ts";

export interface Hindsight {
  /** To be told of every test that has ended. */
  learn(test: TestCase, verdict: Verdict): void;
  /** The verdict on a test that need not run any more, or undefined. */
  foresee(test: TestCase): Verdict | undefined;
}

/** Knows nothing yet; one for each run of a suite. Only generated tests are ever spared, tests by hand always run. */
export function createHindsight(): Hindsight {
  const silent = new Map<string, string>();
  return {
    learn(test, { category }) {
      const { tool } = test;
      if (tool === undefined || category !== "timeout" || !isOpenEnded(test) || silent.has(tool)) return;
      silent.set(tool, test.name);
    },
    foresee(test) {
      const first = test.tool !== undefined && isOpenEnded(test) ? silent.get(test.tool) : undefined;
      return first === undefined ? undefined : skipped(`not run: ${test.tool} gave no answer in "${first}"`);
    },
  };
}
