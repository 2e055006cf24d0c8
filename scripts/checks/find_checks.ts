/** Finds the checks of a folder, and runs them. */
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { listFolder, readTextFile } from "../../src/platform/files.ts";
import type { Check, Tree } from "./check.ts";

/** Result of one check; named by its file where the check cannot be loaded. */
export interface CheckResult {
  name: string;
  problems: string[];
}

/** The files in the folder that export a check by default; sorted. */
export async function findChecks(folder: string): Promise<string[]> {
  const names = (await listFolder(folder)).map(({ name }) => name).filter((name) => name.endsWith(".ts"))
    .sort();
  const paths = names.map((name) => join(folder, name));
  const texts = await Promise.all(paths.map((path) => readTextFile(path)));
  return paths.filter((_path, index) => /^export default defineCheck\(/m.test(texts[index]!));
}

/** Runs the check in the file. One that cannot be loaded (some import the source, which may be broken) or throws has failed. */
export async function runCheck(path: string, tree: Tree): Promise<CheckResult> {
  let name = basename(path, ".ts").replaceAll("_", " ");
  try {
    const check = (await import(pathToFileURL(path).href) as { default: Check }).default;
    name = check.name;
    return { name, problems: await check.run(tree) };
  } catch (error) {
    return {
      name,
      problems: [`Cannot run this check: ${stripVTControlCharacters((error as Error).message)}`],
    };
  }
}
