/** Nothing is left for later in the code, and no error is swallowed. */
import { defineCheck } from "./check.ts";
import { placeOf } from "./imports.ts";

const marks = /\b(?:TODO|FIXME|XXX)\b/g;
const swallowed = /\bcatch\s*(?:\([^)]*\))?\s*\{\s*\}|\.catch\(\(\)\s*=>\s*(?:\{\s*\}|undefined|null)?\)/g;

export default defineCheck({
  name: "code is finished and swallows no error",
  async run(tree) {
    const problems: string[] = [];
    const code = tree.paths.filter((path) => /^(src|machines|scripts)\/.*\.(ts|mjs|sh)$/.test(path));
    for (const path of code.filter((path) => !path.startsWith("scripts/checks/finished_code"))) {
      const text = await tree.read(path);
      for (const found of text.matchAll(marks)) {
        problems.push(`${placeOf(path, text, found.index)}: ${found[0]}`);
      }
      for (const index of findSwallowed(text)) {
        problems.push(
          `${
            placeOf(path, text, index)
          }: swallows an error; handle it, or say beside it which one is expected`,
        );
      }
    }
    return problems;
  },
});

/** Where errors vanish without a comment, beside it or just above, that says which are expected. */
function findSwallowed(text: string): number[] {
  return [...text.matchAll(swallowed)].map(({ index }) => index).filter((index) => {
    const line = text.slice(0, index).split("\n").length - 1;
    const around = text.split("\n").slice(Math.max(0, line - 3), line + 1);
    return !around.some((near) => /\/\/|\*\//.test(near));
  });
}
