/** A folder that can be looked into: the plugin's, before there is any environment. */
import { join } from "node:path";
import { exists, isAbsent, readDir, readTextFile, stat } from "../platform/files.ts";

export interface ReadableFolder {
  /** For messages. */
  readonly path: string;
  /** Names of what lies at the top, sorted; or in a folder within, where nothing may be. */
  list(below?: string): Promise<string[]>;
  /** Text of a file, by its path within; undefined where there is no such file. */
  read(path: string): Promise<string | undefined>;
  exists(path: string): Promise<boolean>;
}

/** A folder of the host. */
export const hostFolder = (path: string): ReadableFolder => ({
  path,
  list: (below = "") => below === "" ? namesIn(path) : namesWithin(join(path, below)),
  read: (file) => textOf(join(path, file)),
  exists: (file) => exists(join(path, file)),
});

/** A folder told by its files, for tests and for `npm:` targets that are still to be installed. */
export const folderOf = (files: Record<string, string>, path = "plugin"): ReadableFolder => ({
  path,
  list: (below = "") => {
    const within = Object.keys(files).filter((file) => below === "" || file.startsWith(`${below}/`));
    const depth = below === "" ? 0 : below.split("/").length;
    return Promise.resolve([...new Set(within.map((file) => file.split("/")[depth]!))].sort());
  },
  read: (file) => Promise.resolve(files[file]),
  exists: (file) =>
    Promise.resolve(Object.keys(files).some((known) => known === file || known.startsWith(`${file}/`))),
});

async function namesIn(path: string): Promise<string[]> {
  const names: string[] = [];
  for await (const entry of readDir(path)) names.push(entry.name);
  return names.sort();
}

async function namesWithin(path: string): Promise<string[]> {
  try {
    return await namesIn(path);
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    return (await stat(path)).isFile ? await readTextFile(path) : undefined;
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}
