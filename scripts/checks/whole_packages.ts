/** Imports of packages by which a bundle would take in all of them, though little is used. */
import { defineCheck } from "./check.ts";
import { placeOf } from "./imports.ts";

/** `z` is an object that holds all of zod, the languages of its messages included: 0.4 of 0.6 MB. */
const wholeZod = /^import \{[^}]*\bz\b[^}]*\} from "zod"/gm;

export default defineCheck({
  name: "packages are imported so that bundles hold what is used of them",
  async run(tree) {
    const problems: string[] = [];
    for (const path of tree.paths.filter((path) => /^(?:src|machines)\/.*\.tsx?$/.test(path))) {
      const text = await tree.read(path);
      for (const { index } of text.matchAll(wholeZod)) {
        problems.push(`${placeOf(path, text, index)}: write import * as z from "zod"`);
      }
    }
    return problems;
  },
});
