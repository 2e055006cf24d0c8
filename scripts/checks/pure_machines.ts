/** Statecharts are pure: they know xstate and each other, and neither clock nor world. */
import { defineCheck } from "./check.ts";
import { findImports, placeOf, withoutTexts } from "./imports.ts";

/** What would tie a machine to a runtime, a clock or chance. XState's own `after` is the clock of a machine. */
const impure =
  /\bDeno\.|\bDate\b|\bMath\.random\b|\bset(?:Timeout|Interval)\b|\bconsole\.|\bfetch\(|\bperformance\.(?:now|timeOrigin)\b|\bcrypto\.|\bprocess\.env\b/g;

export default defineCheck({
  name: "machines are pure",
  async run(tree) {
    const problems: string[] = [];
    for (const path of tree.paths.filter((path) => /^machines\/.*\.ts$/.test(path))) {
      problems.push(...findImpurities(path, await tree.read(path)));
    }
    return problems;
  },
});

function findImpurities(path: string, text: string): string[] {
  const imports = findImports(path, text)
    .filter(({ specifier, path: target }) => !(specifier === "xstate" || target?.startsWith("machines/")))
    .map(({ specifier }) => `${path}: imports "${specifier}"; machines import xstate and machines/ only`);
  const code = withoutTexts(text);
  const uses = [...code.matchAll(impure)].map((found) =>
    `${placeOf(path, code, found.index)}: uses ${
      found[0]
    }; give it a slot (machines/slot.ts) that src/actors fills`
  );
  return [...imports, ...uses];
}
