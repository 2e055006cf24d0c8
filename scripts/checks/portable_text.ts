/** Nothing committed names a machine: its folders, its users, its registries. */
import { defineCheck } from "./check.ts";
import { placeOf } from "./imports.ts";

interface Forbidden {
  pattern: RegExp;
  why: string;
}

const skipped =
  /\.(png|jpg|ico|wasm|gz|tgz|qcow2)$|^package-lock\.json$|^scripts\/checks\/portable_text\.ts$/;

const forbidden: Forbidden[] = [
  {
    pattern: /\/(?:home|Users)\/(?!pth\b|user\b|me\b|node\b)[a-z][\w.-]*\//g,
    why: "a home folder of a machine",
  },
  { pattern: /\b[A-Z]:\\Users\\/g, why: "a home folder of a machine" },
  {
    pattern:
      /\b(?:registry\.(?:npmjs\.org|yarnpkg\.com)|(?:deb|security)\.debian\.org|archive\.ubuntu\.com)\b/g,
    why: "a registry's host; the user's own configuration names it",
  },
  {
    pattern: /\bshared\/(?:DESIGN|DECISIONS|RECIPES|seeds|prototypes)\b/g,
    why: "a file outside the repository",
  },
];

export default defineCheck({
  name: "nothing names a machine",
  async run(tree) {
    const rules = [...forbidden, { pattern: literal(tree.root), why: "the folder of this checkout" }];
    const problems: string[] = [];
    for (const path of tree.paths.filter((path) => !skipped.test(path))) {
      const text = await tree.read(path);
      for (const { pattern, why } of rules) {
        for (const found of text.matchAll(pattern)) {
          problems.push(`${placeOf(path, text, found.index)}: "${found[0]}" is ${why}`);
        }
      }
    }
    return problems;
  },
});

const literal = (path: string): RegExp =>
  new RegExp(`${path.replace(/[^\w/]/g, "\\$&")}(?=[/"'\`\\s]|$)`, "g");
