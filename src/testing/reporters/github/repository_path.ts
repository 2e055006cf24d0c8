/** Paths of files as GitHub knows them: relative to the repository, with "/". */
import { isAbsolute, relative, resolve } from "node:path";

/** @param root Folder of the checkout. @param cwd What relative paths start from. */
export function repositoryPath(file: string, root: string, cwd: string): string | undefined {
  const path = relative(root, resolve(cwd, file));
  return path === "" || path.startsWith("..") || isAbsolute(path) ? undefined : path.replaceAll("\\", "/");
}
