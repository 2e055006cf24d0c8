/** Compares what is there with what `deno task gen` would write. */
import type { GeneratedFile } from "../gen/generated_file.ts";
import { registryFiles } from "../gen/registries.ts";
import { defineCheck } from "./check.ts";
import type { Tree } from "./check.ts";

export default defineCheck({
  name: "generated files are current",
  async run(tree) {
    const registries = await outdated(tree, await registryFiles(tree.root));
    // All the rest is made by the registries, and cannot be told before they are right.
    if (registries.length > 0) return registries;
    const { loadDefinitions } = await import("../gen/load_definitions.ts");
    const { generate } = await import("../gen/generate.ts");
    return await outdated(tree, await generate(tree.root, await loadDefinitions(tree.root)));
  },
});

async function outdated(tree: Tree, files: readonly GeneratedFile[]): Promise<string[]> {
  const problems: string[] = [];
  for (const file of files) {
    const text = tree.paths.includes(file.path) ? await tree.read(file.path) : undefined;
    if (text !== file.text) {
      problems.push(
        `${file.path}: ${text === undefined ? "is missing" : "is out of date"}; run deno task gen`,
      );
    }
  }
  return problems;
}
