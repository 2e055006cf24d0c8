/** Definitions that have a test file of their own, beside the table of a shared test. */
import { basename } from "node:path";
import { listFolder } from "../../src/platform/files.ts";

/** The names of the definitions with a `<name>_test` in a folder, compiled or not, and in the folders within it. */
export async function ownTests(folder: string): Promise<Set<string>> {
  const names = new Set<string>();
  for (const { name, isDirectory } of await listFolder(folder)) {
    if (isDirectory) { for (const deeper of await ownTests(`${folder}/${name}`)) names.add(deeper); }
    else if (/_test\.[jt]s$/.test(name)) names.add(basename(name).replace(/_test\.[jt]s$/, ""));
  }
  return names;
}
