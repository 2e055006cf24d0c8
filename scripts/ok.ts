/** Says whether everything that must hold does, and every place where it does not: `deno task ok`. */
import { join } from "node:path";
import process from "node:process";
import type { Check } from "./checks/check.ts";
import { formatted, linted } from "./checks/deno_command.ts";
import confinedPaths from "./checks/confined_paths.ts";
import describedMachines from "./checks/described_machines.ts";
import finishedCode from "./checks/finished_code.ts";
import generatedFiles from "./checks/generated_files.ts";
import namedCalls from "./checks/named_calls.ts";
import lockfile from "./checks/lockfile.ts";
import platformSeam from "./checks/platform_seam.ts";
import portableText from "./checks/portable_text.ts";
import pureMachines from "./checks/pure_machines.ts";
import roomImports from "./checks/room_imports.ts";
import smallFiles from "./checks/small_files.ts";
import tokenBudgets from "./checks/token_budgets.ts";
import wellTyped from "./checks/well_typed.ts";
import wordsOfFaces from "./checks/words_of_faces.ts";
import { readTree } from "./checks/tree.ts";

const checks: Check[] = [
  formatted,
  linted,
  wellTyped,
  generatedFiles,
  pureMachines,
  roomImports,
  platformSeam,
  confinedPaths,
  describedMachines,
  portableText,
  lockfile,
  smallFiles,
  tokenBudgets,
  finishedCode,
  namedCalls,
  wordsOfFaces,
];

const tree = await readTree(join(import.meta.dirname!, ".."));
const results = await Promise.all(checks.map(async (check) => {
  const started = performance.now();
  const problems = await check.run(tree).catch((error: Error) => [error.message]);
  console.log(`${problems.length === 0 ? "ok  " : "FAIL"} ${check.name} (${seconds(started)} s)`);
  return { check, problems };
}));
const failed = results.filter(({ problems }) => problems.length > 0);
for (const { check, problems } of failed) {
  console.log(`\n${check.name}:`);
  for (const problem of problems) console.log(problem.replace(/^/gm, "  "));
}
console.log(failed.length === 0 ? "\nok" : `\n${failed.length} of ${checks.length} checks failed`);
process.exit(failed.length === 0 ? 0 : 1);

function seconds(started: number): string {
  return ((performance.now() - started) / 1000).toFixed(1);
}
