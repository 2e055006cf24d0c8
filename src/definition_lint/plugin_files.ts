/** Files of a plugin, as rules on its definitions see them. */
import { join, relative } from "node:path";
import { asPthError } from "../core/errors.ts";
import { openConfined } from "../platform/confined/open_confined.ts";
import { pathExists } from "../platform/files.ts";
import { dirname } from "node:path";

export interface PluginFile {
  kind: "file" | "folder" | "other";
  /** Whether its owner may run it. */
  isExecutable: boolean;
}

export interface PluginFiles {
  /** Folder, for messages. */
  readonly path: string;
  /** Names in a folder, sorted; none where there is no folder. */
  list(folder: string): Promise<string[]>;
  /** Text of a file; undefined where there is none. @throws {PthError} for one that is too long */
  read(path: string): Promise<string | undefined>;
  /** Undefined where nothing is, and where a link leads out of the repository. */
  stat(path: string): Promise<PluginFile | undefined>;
}

/** Bytes of one file. */
const longestFile = 2 * 1024 * 1024;

/** Files of a folder of the host; links are followed as long as they stay in its repository. */
export async function hostPluginFiles(path: string): Promise<PluginFiles> {
  const root = await repositoryAround(path);
  const files = openConfined(root);
  const at = (file: string) => join(relative(root, path), file);
  return {
    path,
    list: async (folder) => (await files.list(at(folder), { followWithin: true })).map(({ name }) => name),
    async read(file) {
      if ((await files.stat(at(file), { followWithin: true }))?.kind !== "file") return undefined;
      return await files.readText(at(file), { followWithin: true, maxBytes: longestFile });
    },
    async stat(file) {
      try {
        const info = await files.stat(at(file), { followWithin: true });
        if (info === undefined) return undefined;
        const { kind, mode } = info;
        return {
          kind: kind === "file" || kind === "folder" ? kind : "other",
          isExecutable: (mode & 0o100) !== 0,
        };
      } catch (error) {
        if (asPthError(error).code === "PATH_REFUSED") return undefined; // it leads where nothing is installed
        throw error;
      }
    },
  };
}

async function repositoryAround(path: string): Promise<string> {
  for (let folder = path;; folder = dirname(folder)) {
    if (await pathExists(join(folder, ".git"))) return folder;
    if (dirname(folder) === folder) return path;
  }
}
