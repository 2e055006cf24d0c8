/** PTH's own version and dependencies, from its package.json. */
import { readTextFile } from "./files.ts";
import { ownFile } from "./own_files.ts";

/** Fields of PTH's own package.json. */
export interface SelfPackage {
  version: string;
  dependencies: Record<string, string>;
}

let known: Promise<SelfPackage> | undefined;

/** Reads `package.json`, once in a process's life. */
export const selfPackage = (): Promise<SelfPackage> =>
  known ??= readTextFile(ownFile("package.json")).then((text) => JSON.parse(text) as SelfPackage);

export const selfVersion = async (): Promise<string> => (await selfPackage()).version;
