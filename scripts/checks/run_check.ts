/** Runs one check alone, for one folder or all: `run_check.ts unique_names [folder]`. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import type { Check } from "./check.ts";
import { readTree } from "./tree.ts";

const here = import.meta.dirname!;
const [name, folder = ""] = process.argv.slice(2);
const check = await findCheck(name);
if (check === undefined) {
  console.error(
    `Cannot run the check ${name ?? "(none named)"}; there are: ${(await checkNames()).join(", ")}`,
  );
  process.exit(2);
}
const problems = (await check.run(await readTree(join(here, "../..")))).filter((text) =>
  text.startsWith(folder)
);
for (const problem of problems) console.log(problem);
console.log(problems.length === 0 ? `ok: ${check.name}` : `${problems.length} problems: ${check.name}`);
process.exit(problems.length === 0 ? 0 : 1);

async function findCheck(name: string | undefined): Promise<Check | undefined> {
  return name !== undefined && (await checkNames()).includes(name)
    ? (await import(`./${name}.ts`) as { default: Check }).default
    : undefined;
}

/** Names of files here whose default export is a check. */
async function checkNames(): Promise<string[]> {
  const found: string[] = [];
  for (const file of (await readdir(here)).sort()) {
    if (!file.endsWith(".ts") || file === "run_check.ts") continue;
    const module = await import(`./${file}`) as { default?: Check };
    if (typeof module.default?.run === "function") found.push(file.replace(/\.ts$/, ""));
  }
  return found;
}
