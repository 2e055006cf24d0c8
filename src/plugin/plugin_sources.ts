/** The plugin's own source files, read from the session's copy, as lines. */
import { posix } from "node:path";
import { type ConfinedFolder, type ListedEntry, openConfined } from "../platform/confined/open_confined.ts";

/** What diagnosing needs of a folder of source; tests give it texts. */
export interface PluginSources {
  /** Paths of source files, sorted; neither dependencies nor build output where there is something else. */
  list(): Promise<string[]>;
  /** Text of a file within the folder, or undefined where there is none. */
  read(path: string): Promise<string | undefined>;
}

const maxFiles = 3000;
const maxBytes = 1024 * 1024;
const foreign =
  /^(node_modules|\.git|\.venv|venv|env|site-packages|__pycache__|target|vendor|coverage|\.pth|\.tox|\.mypy_cache|\.pytest_cache|.*\.egg-info)$/;
const built = /^(?:dist|build|out|lib-cov|\.next)\/|\/dist\/.*\.[cm]?jsx?$/;
const source = /\.([cm]?[jt]sx?|py|rs|go|rb|java|kt|php|c|cc|cpp|h|hpp|cs|sh)$/;

/** Whether a path inside the plugin's folder is somebody else's code. */
export const isThirdParty = (path: string): boolean =>
  path.split("/").slice(0, -1).some((part) => foreign.test(part));

/** Whether a path is where compilers and bundlers put what they make. */
export const isBuildOutput = (path: string): boolean => built.test(path);

/** Sources of a folder on the host. A link that leads out of the folder is not followed: the plugin may have made it. */
export function folderSources(folder: string): PluginSources {
  const texts = new Map<string, Promise<string | undefined>>();
  let listed: Promise<string[]> | undefined;
  const files = openConfined(folder);
  return {
    list: () => listed ??= listSources(files),
    read(path) {
      const known = texts.get(path);
      if (known) return known;
      const text = readWithin(files, path);
      texts.set(path, text);
      return text;
    },
  };
}

/** Sources told by their texts. */
export const textSources = (files: Record<string, string>): PluginSources => ({
  list: () => Promise.resolve(ownFirst(Object.keys(files).filter((path) => source.test(path)))),
  read: (path) => Promise.resolve(files[path]),
});

/** Chooses the sources among all paths of a folder, as `list` answers them. */
export const chosenSources = (paths: readonly string[]): string[] =>
  ownFirst(
    paths.filter((path) => source.test(path) && !isThirdParty(path)).slice(0, maxFiles),
  );

async function listSources(folder: ConfinedFolder): Promise<string[]> {
  const found: string[] = [];
  const queue = [""];
  while (queue.length > 0 && found.length < maxFiles) {
    const at = queue.shift()!;
    for (const entry of await entriesOf(folder, at)) {
      const path = posix.join(at, entry.name);
      if (entry.kind === "folder" && !foreign.test(entry.name)) queue.push(path);
      else if (entry.kind === "file" && source.test(entry.name)) found.push(path);
    }
  }
  return ownFirst(found);
}

async function entriesOf(folder: ConfinedFolder, at: string): Promise<ListedEntry[]> {
  try {
    return await folder.list(at);
  } catch {
    // A folder that a build made unreadable holds nothing that the author wrote.
    return [];
  }
}

/** What a build wrote counts only where there is no other source. */
function ownFirst(paths: string[]): string[] {
  const own = paths.filter((path) => !built.test(path) && !path.endsWith(".d.ts"));
  return (own.length > 0 ? own : paths).sort();
}

async function readWithin(files: ConfinedFolder, path: string): Promise<string | undefined> {
  try {
    return await files.readText(path, { followWithin: true, maxBytes });
  } catch {
    // A place that output names may be no file, or none that can be read: it is then no place in the source.
    return undefined;
  }
}
