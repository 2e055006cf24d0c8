/** A folder that can be looked into: the plugin's, before there is any environment. */
import { dirname, join, relative } from "node:path";
import { openConfined } from "../platform/confined/open_confined.ts";
import { pathExists } from "../platform/files.ts";

export interface ReadableFolder {
  /** For messages. */
  readonly path: string;
  /** Names of what lies at the top, sorted; or in a folder within, where nothing may be. */
  list(below?: string): Promise<string[]>;
  /** Text of a file, by its path within; undefined where there is no such file. */
  read(path: string): Promise<string | undefined>;
  exists(path: string): Promise<boolean>;
}

/**
 * A folder of the host. Links in it are followed as long as they stay in its repository: a package of several may share
 * files with the others. What leads further, or is no file, is refused with `PATH_REFUSED`.
 */
export function hostFolder(path: string): ReadableFolder {
  let top: Promise<string> | undefined;
  const place = async () => {
    const root = await (top ??= repositoryAround(path));
    return { files: openConfined(root), at: (file: string) => join(relative(root, path), file) };
  };
  return {
    path,
    async list(below = "") {
      return (await openConfined(path).list(below)).map(({ name }) => name);
    },
    async read(file) {
      const { files, at } = await place();
      if ((await files.stat(at(file), { followWithin: true }))?.kind === "folder") return undefined;
      return await files.readText(at(file), { followWithin: true });
    },
    exists: (file) => pathExists(join(path, file)),
  };
}

/** The nearest folder above that has a `.git`, or the folder itself. */
async function repositoryAround(path: string): Promise<string> {
  for (let folder = path;; folder = dirname(folder)) {
    if (await pathExists(join(folder, ".git"))) return folder;
    if (dirname(folder) === folder) return path;
  }
}

/** Makes a folder of texts, for tests and for `npm:` targets that are not installed yet. */
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
