/** A fault as a Tier 1 test that fails by itself, and fails no more once the fault is mended. */
import type { FuzzFind } from "../../../machines/model/fuzz.ts";
import type { TestCase } from "../../../machines/model/test_case.ts";
import { escapeInput } from "../generate/escape_input.ts";
import { assignIds } from "../format/ids.ts";
import { shortHash } from "./seeds.ts";

type Found = Pick<
  FuzzFind,
  "tool" | "oracle" | "signature" | "message" | "input" | "breach" | "seed" | "path"
>;

/** What it is called everywhere: the same fault has the same name in every run. */
export const faultId = (
  { tool, oracle, signature }: Pick<FuzzFind, "tool" | "oracle" | "signature">,
): string => shortHash(`${tool}\n${oracle}\n${signature}`);

export function foundTest(find: Found, limitMs: number): TestCase {
  const { tool, oracle, message, breach, seed, path } = find;
  const [first = ""] = message.split("\n");
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
