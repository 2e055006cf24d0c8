import type { ReadableFolder } from "../plugin/readable_folder.ts";

const mostFolders = 2000;
const deepest = 12;
/** Folders of dependencies and of what is built. */
const passedOver =
  /^(?:\.|node_modules$|target$|build$|dist$|out$|vendor$|third_party$|_deps$|venv$|__pycache__$|cmake-build-)/;

/** Paths of the project's own files that fit, sorted; of very large projects, those found first. */
export async function findFiles(folder: ReadableFolder, pattern: RegExp): Promise<string[]> {
  const found: string[] = [];
  const waiting = [{ path: "", depth: 0 }];
  for (let looked = 0; looked < mostFolders; looked++) {
    const next = waiting.shift();
    if (next === undefined) break;
    for (const name of await namesIn(folder, next.path)) {
      const path = next.path === "" ? name : `${next.path}/${name}`;
      if (pattern.test(path)) found.push(path);
      const mayBeFolder = !/\.\w{1,5}$/.test(name) && !passedOver.test(name) && next.depth < deepest;
      if (mayBeFolder) waiting.push({ path, depth: next.depth + 1 });
    }
  }
  return found.sort();
}

export const countFiles = async (folder: ReadableFolder, pattern: RegExp): Promise<number> =>
  (await findFiles(folder, pattern)).length;

/** Names in a folder; none where it is a file or may not be read. */
async function namesIn(folder: ReadableFolder, path: string): Promise<string[]> {
  try {
    return await folder.list(path);
  } catch (error) {
    if (path === "") throw error;
    return [];
  }
}
