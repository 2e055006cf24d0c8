/** PTH's own version, from the nearest package.json above this file (the sources and the Node build lie at different depths). */
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { readTextIfExists } from "./files.ts";

let known: Promise<string> | undefined;

/** Read once in a process's life. */
export const version = (): Promise<string> => known ??= readVersion();

async function readVersion(): Promise<string> {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (folder !== dirname(folder)) {
    const text = await readTextIfExists(join(folder, "package.json"));
    const found = text === undefined ? {} : JSON.parse(text) as { name?: string; version?: string };
    if (found.name === "plugin-test-harness" && found.version !== undefined) return found.version;
    folder = dirname(folder);
  }
  return "unknown";
}
