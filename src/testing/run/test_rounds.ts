/**
 * Rounds of the generated tests of a suite. Tools share files: an odd input that a tool accepts and stores could break the
 * tests of others with inputs as its users would give, so those run first. Tools that end or destroy what others work on
 * come last, as without it refusals would tell nothing.
 */
import type { ToolDefinition } from "../../../machines/model/plugin.ts";
import type { TestCase } from "../../../machines/model/test_case.ts";
import { isReadOnly, leavesNothing } from "../generate/excluded_tools.ts";

/** Rounds from 0; `isOdd`: with inputs that no user would give. */
interface TestRound {
  round: number;
  isOdd: boolean;
}

const oddTags = ["boundary", "invalid"];

/** @returns the round of each generated test of a tool */
export function testRounds(tools: readonly ToolDefinition[]): (test: TestCase) => TestRound {
  const readers = new Set(tools.filter(isReadOnly).map(({ name }) => name));
  const last = new Set(tools.filter(leavesNothing).map(({ name }) => name));
  return ({ tool, tags }) => {
    const isOdd = tool !== undefined && !readers.has(tool) && tags.some((tag) => oddTags.includes(tag));
    return { round: (tool !== undefined && last.has(tool) ? 2 : 0) + (isOdd ? 1 : 0), isOdd };
  };
}
