/** PTH's own version and dependencies, from its package.json. */
import { readTextFile } from "./files.ts";
import { ownFile } from "./own_files.ts";

/** What PTH's own package.json says of it. */
export interface OwnPackage {
  version: string;
  dependencies: Record<string, string>;
}

let known: Promise<OwnPackage> | undefined;

/** Reads `package.json`, once in a process's life. */
export const ownPackage = (): Promise<OwnPackage> =>
  known ??= readTextFile(ownFile("package.json")).then((text) => JSON.parse(text) as OwnPackage);

export const version = async (): Promise<string> => (await ownPackage()).version;
