import { join } from "node:path";
import t from "tap";
import { findChecks, runCheck } from "../../../scripts/checks/find_checks.ts";
import { fromTexts } from "../../../scripts/checks/tree.ts";

const checksFolder = join(import.meta.dirname!, "../../../scripts/checks");
const imports = `import { defineCheck } from ${JSON.stringify(`${checksFolder}/check.ts`)};\n`;
const tree = fromTexts("/somewhere", [], () => Promise.resolve(""));

t.test("each file that exports a check is one; helpers beside them are not", async (t) => {
  const folder = t.testdir({
    "b.ts":
      `${imports}export default defineCheck({ name: "b holds", run: () => Promise.resolve(["a.ts: does not"]) });\n`,
    "a.ts": `${imports}export default defineCheck({ name: "a holds", run: () => Promise.resolve([]) });\n`,
    "helper.ts": "export const helper = 1;\n",
  });
  const found = await findChecks(folder);
  t.same(await Promise.all(found.map((path) => runCheck(path, tree))), [
    { name: "a holds", problems: [] },
    { name: "b holds", problems: ["a.ts: does not"] },
  ]);
});

t.test("a check that cannot be loaded or that throws fails alone, with one message and no stack", async (t) => {
  const folder = t.testdir({
    "broken_import.ts": `${imports}import "./gone.ts";\nexport default defineCheck({});\n`,
    "throws.ts":
      `${imports}export default defineCheck({ name: "throws", run() { throw new Error("no git"); } });\n`,
  });
  const [broken, throws] = await Promise.all((await findChecks(folder)).map((path) => runCheck(path, tree)));
  t.match(broken, { name: "broken import", problems: [/^Cannot run this check: .*gone\.ts/] });
  t.same(throws, { name: "throws", problems: ["Cannot run this check: no git"] });
  t.match(
    broken!.problems.join(),
    /\n\s+at file:.*broken_import\.ts:2:8$/,
    "the place that asks for it, and nothing else",
  );
});

t.test("the checks of this repository are found", async (t) => {
  const names = (await findChecks(checksFolder)).map((path) => path.split("/").at(-1));
  for (
    const name of ["formatted.ts", "linted.ts", "well_typed.ts", "generated_files.ts", "portable_text.ts"]
  ) {
    t.ok(names.includes(name), name);
  }
  t.notOk(names.includes("tree.ts"));
});
