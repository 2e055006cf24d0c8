/** Writes a fault that fuzzing found as a test that fails until the fault is fixed. */
import type { FuzzFind } from "../../../machines/model/fuzz.ts";
import { count, firstLine } from "../../core/text.ts";
import type { TestCase } from "../../../machines/model/test_case.ts";
import { escapeInput, escapeStepInput } from "../format/interpolate.ts";
import { assignIds } from "../format/ids.ts";
import type { PastCall } from "./oracle.ts";
import { shortHash } from "./seeds.ts";

type Found = Pick<
  FuzzFind,
  "tool" | "oracle" | "signature" | "message" | "input" | "breach" | "seed" | "path"
>;

/** Id of a fault, the same in every run. */
export const faultId = (
  { tool, oracle, signature }: Pick<FuzzFind, "tool" | "oracle" | "signature">,
): string => shortHash(`${tool}\n${oracle}\n${signature}`);

export function foundTest(find: Found, limitMs: number): TestCase {
  const { tool, oracle, message, breach, seed, path } = find;
  const first = firstLine(message);
  const test: TestCase = {
    id: "",
    name: `${tool} - fuzz, ${oracle.replaceAll("_", " ")} ${faultId(find)}`,
    tier: 1,
    description: breach === undefined ? first : `${first} (input: ${breach})`,
    tool,
    input: escapeInput(find.input),
    expect: { well_behaved: true },
    verify: [],
    setup: [],
    teardown: [],
    tags: ["fuzz", oracle],
    generatedFrom: "schema",
    origin: `fuzz seed ${seed} path ${path}`,
    ...(oracle === "hang" ? { timeoutSeconds: limitMs / 1000 } : {}),
  };
  return assignIds([test])[0]!;
}

type FoundSequence = Pick<FuzzFind, "tool" | "oracle" | "signature" | "message" | "seed" | "path">;

/** The steps before the last one are expected to answer as they did; the last one, to answer at all and properly. */
export function foundSequence(find: FoundSequence, steps: readonly PastCall[], limitMs: number): TestCase {
  const { tool, oracle, message, seed, path } = find;
  const last = steps.length - 1;
  const test: TestCase = {
    id: "",
    name: `${tool} - fuzz, ${oracle.replaceAll("_", " ")} after other calls ${faultId(find)}`,
    tier: 2,
    description: firstLine(message),
    steps: steps.map(({ tool, input, isError, template, capture = {} }, index) => ({
      action: {
        ...{ kind: "call", tool },
        input: template === undefined ? escapeStepInput(input) : escapeInput(template),
      },
      expect: index === last ? { well_behaved: true } : isError ? { success: false } : {},
      capture,
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

type Finds = readonly Pick<FuzzFind, "severity">[];

/** Faults and findings are counted apart: only the first break something. Texts and exit codes count them here. */
export function countFinds(finds: Finds): { faults: number; findings: number } {
  const faults = finds.filter(({ severity }) => severity === "failure").length;
  return { faults, findings: finds.length - faults };
}

export function foundText(finds: Finds): string {
  const { faults, findings } = countFinds(finds);
  const told = count(faults, "fault");
  return findings === 0 ? told : `${told}, ${count(findings, "finding")}`;
}
