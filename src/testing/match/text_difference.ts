/** How two texts differ, for people. */
import { createTwoFilesPatch } from "diff";
import { textExcerpt } from "../../core/text.ts";

const longest = 20_000;

/** Both texts where they are short, else a unified diff of at most 30 lines. */
export function textDifference(expected: string, actual: string): string {
  const short = expected.length <= 120 && actual.length <= 120;
  const both = `  expected: ${textExcerpt(expected)}\n  actual:   ${textExcerpt(actual)}`;
  if (short || expected.length > longest || actual.length > longest) return both;
  const patch = createTwoFilesPatch("expected", "actual", expected, actual, "", "", {
    context: 2,
    maxEditLength: 500,
  });
  if (patch === undefined) return both;
  const lines = patch.trimEnd().split("\n").slice(1);
  const shown = lines.slice(0, 30).map((line) => `  ${line.slice(0, 200)}`);
  if (lines.length > 30) shown.push(`  … ${lines.length - 30} more lines`);
  return shown.join("\n");
}
