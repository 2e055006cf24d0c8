/** Runs `tsc`: to check types (`checks/well_typed.ts`), and to compile the tree to JavaScript for plain Node. */
import { join } from "node:path";
import { runCommand, type RunResult } from "../src/platform/process.ts";

export const runTsc = async (root: string, args: readonly string[]): Promise<RunResult> =>
  await runCommand(["node", join(root, "node_modules/typescript/bin/tsc"), ...args], { cwd: root });

/**
 * @param outDir in place of the project's own
 * @throws {Error} with tsc's output when it cannot compile
 */
export async function compile(root: string, project: string, outDir?: string): Promise<void> {
  const into = outDir === undefined ? [] : ["--outDir", outDir];
  const result = await runTsc(root, ["--project", join(root, project), ...into]);
  if (result.code !== 0) {
    throw new Error(
      `Cannot compile ${project}: tsc exited with ${result.code}\n${result.stdout}${result.stderr}`,
    );
  }
}
