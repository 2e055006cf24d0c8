/** PTH's own version, from the nearest package.json above this file (the sources and the Node build lie at different depths). */
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { readTextIfExists } from "./files.ts";

/** What PTH's own package.json says of it. */
export interface OwnPackage {
  version: string;
  dependencies: Record<string, string>;
}

let known: Promise<OwnPackage> | undefined;

/** Read once in a process's life. */
export const ownPackage = (): Promise<OwnPackage> => known ??= readPackage();

export const version = async (): Promise<string> => (await ownPackage()).version;

async function readPackage(): Promise<OwnPackage> {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (folder !== dirname(folder)) {
    const text = await readTextIfExists(join(folder, "package.json"));
    const found: Partial<OwnPackage> & { name?: string } = text === undefined ? {} : JSON.parse(text);
    if (found.name === "plugin-test-harness" && found.version !== undefined) {
      return { version: found.version, dependencies: found.dependencies ?? {} };
    }
    folder = dirname(folder);
  }
  return { version: "unknown", dependencies: {} };
}
