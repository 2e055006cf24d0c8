/** Paths of compilers and test programs, made relative to the project's folder where they lie within. */
import { isAbsolute, normalize, relative } from "node:path/posix";

/**
 * @param root absolute path of the project's folder
 * @param file path as a program prints it: absolute, or relative to a folder that is not known, but is `base` or above it
 * @param base absolute path of the folder of the package or program; absent: the project's
 */
export function projectPath(root: string, file: string, base: string = root): string {
  if (file.startsWith("<") || file === "") return file;
  if (isAbsolute(file)) return within(root, normalize(file));
  const path = normalize(file);
  const folders = base.split("/");
  // A path that begins with the last folders of the base is relative to a folder above them, as those of Cargo are
  // relative to the workspace.
  for (let above = folders.length - 1; above > 0; above--) {
    const below = folders.slice(above).join("/");
    if (path.startsWith(`${below}/`)) return within(root, `${folders.slice(0, above).join("/")}/${path}`);
  }
  return within(root, normalize(`${base}/${path}`));
}

function within(root: string, path: string): string {
  const below = relative(root, path);
  return below.startsWith("../") || below === ".." || below === "" ? path : below;
}
