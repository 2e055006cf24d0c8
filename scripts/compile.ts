/** Compiles the tree to JavaScript for plain Node with `tsc`; types are `deno check`'s business. */
import { join } from "node:path";
import { run } from "../src/platform/process.ts";

/**
 * @param outDir in place of the project's own
 * @throws {Error} with tsc's output when it cannot compile
 */
export async function compile(root: string, project: string, outDir?: string): Promise<void> {
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const into = outDir === undefined ? [] : ["--outDir", outDir];
  const result = await run(["node", tsc, "--project", join(root, project), ...into]);
  if (result.code !== 0) {
    throw new Error(
      `Cannot compile ${project}: tsc exited with ${result.code}\n${result.stdout}${result.stderr}`,
    );
  }
}
