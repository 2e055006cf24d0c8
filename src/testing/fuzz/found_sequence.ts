/** A fault that several calls bring out, as a test of Tier 2. */
import type { FuzzFind } from "../../../machines/model/fuzz.ts";
import type { TestCase } from "../../../machines/model/test_case.ts";
import { escapeStepInput } from "../generate/escape_input.ts";
import { assignIds } from "../format/ids.ts";
import { faultId } from "./found_test.ts";

/** One call of the row, and whether its answer was an error. */
export interface SeenStep {
  tool: string;
  input: Record<string, unknown>;
  isError: boolean;
}

type Found = Pick<FuzzFind, "tool" | "oracle" | "signature" | "message" | "seed" | "path">;

/** The steps before the last one are expected to answer as they did; the last one, to answer at all and properly. */
export function foundSequence(find: Found, steps: readonly SeenStep[], limitMs: number): TestCase {
  const { tool, oracle, message, seed, path } = find;
  const last = steps.length - 1;
  const test: TestCase = {
    id: "",
    name: `${tool} - fuzz, ${oracle.replaceAll("_", " ")} after other calls ${faultId(find)}`,
    tier: 2,
    description: message.split("\n", 1)[0]!,
    steps: steps.map(({ tool, input, isError }, index) => ({
      action: { kind: "call", tool, input: escapeStepInput(input) },
      expect: isError && index < last ? { success: false } : {},
      capture: {},
      verify: [],
    })),
    expect: {},
    verify: [],
    setup: [],
    teardown: [],
    tags: ["fuzz", oracle, "sequence"],
    generatedFrom: "schema",
    origin: `fuzz seed ${seed} sequence path ${path}`,
    ...(oracle === "hang" ? { timeoutSeconds: limitMs / 1000 } : {}),
  };
  return assignIds([test])[0]!;
}
