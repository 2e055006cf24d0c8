/** What `deno task gen` would write is what is there. */
import { generate } from "../gen/generate.ts";
import { defineCheck } from "./check.ts";

export default defineCheck({
  name: "generated files are current",
  async run(tree) {
    const problems: string[] = [];
    for (const file of await generate(tree.root)) {
      const text = tree.paths.includes(file.path) ? await tree.read(file.path) : undefined;
      if (text !== file.text) {
        problems.push(
          `${file.path}: ${text === undefined ? "is missing" : "is out of date"}; run deno task gen`,
        );
      }
    }
    return problems;
  },
});
