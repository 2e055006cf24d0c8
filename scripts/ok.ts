/**
 * Says whether everything that must hold does, and every place where it does not: `deno task ok`.
 *
 * Each file of `checks/` that exports a check by default is one; they run at the same time.
 */
import { join } from "node:path";
import process from "node:process";
import { findChecks, runCheck } from "./checks/find_checks.ts";
import { readTree } from "./checks/tree.ts";

process.exit(await checkAll(join(import.meta.dirname!, "..")).catch(tellWhy));

async function checkAll(root: string): Promise<number> {
  const tree = await readTree(root);
  const found = await findChecks(join(root, "scripts/checks"));
  const results = await Promise.all(found.map(async (check) => {
    const started = performance.now();
    const result = await runCheck(check, tree);
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    console.log(`${result.problems.length === 0 ? "ok  " : "FAIL"} ${result.name} (${seconds} s)`);
    return result;
  }));
  const failed = results.filter(({ problems }) => problems.length > 0);
  for (const { name, problems } of failed) {
    console.log(`\n${name}:`);
    for (const problem of problems) console.log(problem.replace(/^/gm, "  "));
  }
  console.log(failed.length === 0 ? "\nok" : `\n${failed.length} of ${found.length} checks failed`);
  return failed.length === 0 ? 0 : 1;
}

function tellWhy(error: Error): number {
  console.error(`Cannot check: ${error.message}`);
  return 1;
}
