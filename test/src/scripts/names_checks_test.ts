import t from "tap";
import type { Check } from "../../../scripts/checks/check.ts";
import { exportedNames } from "../../../scripts/checks/exported_names.ts";
import glossaryWords, { readGlossary } from "../../../scripts/checks/glossary_words.ts";
import uniqueNames from "../../../scripts/checks/unique_names.ts";
import { fromTexts } from "../../../scripts/checks/tree.ts";

const problems = (check: Check, texts: Record<string, string>) =>
  check.run(fromTexts("/checkout/here", Object.keys(texts), (path) => Promise.resolve(texts[path]!)));

const glossary = `# Glossary

## Words we do not use in names and texts

| word             | in           | use instead |
| ---------------- | ------------ | ----------- |
| \`told\`, \`tells\`  | names        | report      |
| \`anew\`           | names, texts | again       |
| \`stand-in\`       | texts        | mock        |

## How a docstring begins

| word           | begin with instead |
| -------------- | ------------------ |
| \`What\`, \`Who\`  | the noun           |
`;

t.test("names that a file exports are found with their place, overloads once, comments and scripts never", (t) => {
  const text = `/* export const no = 1; */
export const a = 1;
export async function b(): Promise<void>;
export async function b(x?: number): Promise<void> {}
export interface C {}
export const script = \`
export const inside = 1;
\`;
export default a;
`;
  t.same(exportedNames("src/x.ts", text), [
    { name: "a", isType: false, place: "src/x.ts:2" },
    { name: "b", isType: false, place: "src/x.ts:3" },
    { name: "C", isType: true, place: "src/x.ts:5" },
    { name: "script", isType: false, place: "src/x.ts:6" },
  ]);
  t.end();
});

t.test("a name that two files export is a problem at both; that of a generated registry is none", async (t) => {
  const found = await problems(uniqueNames, {
    "src/a/tail.ts": "export const tail = 1;\n",
    "machines/b/tail.ts": "\nexport function tail() {}\n",
    "src/a/_registry.ts": "export const registry = [];\n",
    "src/b/_registry.ts": "export const registry = [];\n",
  });
  t.match(found, [
    /^machines\/b\/tail\.ts:2: tail is also exported by src\/a\/tail\.ts:1;/,
    /^src\/a\/tail\.ts:1: tail is also exported by machines\/b\/tail\.ts:2;/,
  ]);
  t.equal(found.length, 2);
});

t.test("a file has the name of an export, of its subject, or of either without its folder's words", async (t) => {
  const found = await problems(uniqueNames, {
    "src/read_lock.ts": "export const readLock = 1;\n",
    "src/docker/probe.ts": "export const probeDocker = 1;\n",
    "src/worktree.ts": "export const addWorktree = 1;\nexport const removeWorktrees = 1;\n",
    "src/main.ts": "export const start = 1;\n",
    "src/testing/assertions/equals.ts": "export default 1;\nexport const other = 1;\n",
    "src/types.ts": "",
    "src/need.ts": "export const requireImage = 1;\n",
    "src/take.ts": "export const takeLock = 1;\n",
    "src/docker/misc.ts": "export const a = 1;\nexport const dockerLogs = 1;\n",
    "src/oracle.ts": "export const defineOracle = 1;\n",
    "src/core/values.ts":
      "export const a2 = 1;\nexport const b2 = 1;\nexport const c2 = 1;\nexport const d2 = 1;\n",
  });
  t.match(found, [
    /^src\/docker\/misc\.ts: has the name of none of its exports \(a, docker_logs\)/,
    /^src\/need\.ts: has the name of none of its exports \(require_image\)/,
    /^src\/take\.ts: .*\(take_lock\)/,
  ]);
  t.equal(found.length, 3);
});

t.test("forbidden words of the glossary are found in exported names, file names and docstrings", async (t) => {
  const found = await problems(glossaryWords, {
    "docs/glossary.md": glossary,
    "src/told_of.ts": "export const tellsName = 1;\nexport const teller = 1;\nconst told = 1;\n",
    "src/a.ts": [
      "/** What a server offers. */",
      "/** Reads all anew. */",
      "/**",
      " * Makes a stand-in of it. It is told anew.",
      " */",
      "/** Names `What anew` in code. What follows is free, anew. */",
      "/** Whatever. */",
      "",
    ].join("\n"),
  });
  t.match(found, [
    /^src\/a\.ts:1: a docstring begins with "What"; begin with the noun/,
    /^src\/a\.ts:2: "anew" in a docstring: again/,
    /^src\/a\.ts:3: "stand-in" in a docstring: mock/,
    /^src\/told_of\.ts: "told" in the name told_of: report/,
    /^src\/told_of\.ts:1: "tells" in the name tellsName: report/,
  ]);
  t.equal(found.length, 5);
});

t.test("a glossary without its tables forbids nothing, and is refused", (t) => {
  t.throws(() => readGlossary("# Glossary\n"), /has no table/);
  t.throws(() => readGlossary(glossary.split("## How")[0]!), /"## How a docstring begins" has no table/);
  t.end();
});
