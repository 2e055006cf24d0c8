/**
 * Rounds of the generated tests of a suite. Tools share files: an odd input that a tool accepts and stores could break the
 * tests of others with inputs as its users would give, so those run first, and inputs that no schema allows after those at
 * its bounds. Tools that end or destroy what others work on come last, as without it refusals would tell nothing.
 */
import type { ToolDefinition } from "../../../machines/model/plugin.ts";
import type { TestCase } from "../../../machines/model/test_case.ts";
import { isReadOnly, leavesNothing } from "../generate/excluded_tools.ts";

type InputKind = "usual" | "boundary" | "invalid";

/** Rounds from 0, and the inputs that they are for. */
interface TestRound {
  round: number;
  inputs: InputKind;
}

const inputKinds: readonly InputKind[] = ["usual", "boundary", "invalid"];

/** @returns the round of each generated test of a tool; tools that only read leave nothing, whatever their inputs */
export function testRounds(tools: readonly ToolDefinition[]): (test: TestCase) => TestRound {
  const readers = new Set(tools.filter(isReadOnly).map(({ name }) => name));
  const last = new Set(tools.filter(leavesNothing).map(({ name }) => name));
  return ({ tool, tags }) => {
    const mayWrite = tool !== undefined && !readers.has(tool);
    const inputs = (mayWrite && inputKinds.find((kind) => tags.includes(kind))) || "usual";
    const first = tool !== undefined && last.has(tool) ? inputKinds.length : 0;
    return { round: first + inputKinds.indexOf(inputs), inputs };
  };
}
