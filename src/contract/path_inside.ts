/** A path that was named by whoever asks, and must not leave the plugin's folder. */
import { isAbsolute, join, posix, relative } from "node:path";
import { PthError } from "../errors.ts";
import { exists, readTextFile, realPath } from "../platform/files.ts";

/** @returns it with "/" and without detours. @throws {PthError} `INVALID_INPUT` */
export function pathInside(path: string): string {
  const plain = posix.normalize(path.replaceAll("\\", "/"));
  const leaves = posix.isAbsolute(plain) || /^[A-Za-z]:/.test(plain) || plain.split("/")[0] === "..";
  if (!leaves && plain !== "." && !plain.endsWith("/")) return plain;
  throw new PthError("INVALID_INPUT", `Cannot use ${path}: it names no file within the plugin's folder`, {
    next: ["Give a path relative to the plugin's folder, for example .pth/contract.json"],
  });
}

/**
 * What the file holds; undefined where there is none. What runs in the environment can put links into the folder.
 * @throws {PthError} `INVALID_INPUT` for a link that leads out of it
 */
export async function readInside(folder: string, path: string): Promise<string | undefined> {
  const file = join(folder, path);
  if (!(await exists(file))) return undefined;
  const place = relative(await realPath(folder), await realPath(file));
  if (!place.startsWith("..") && !isAbsolute(place)) return await readTextFile(file);
  throw new PthError("INVALID_INPUT", `Cannot read ${path}: a link there leads out of the plugin's folder`, {
    next: ["Remove the link from the plugin's folder"],
  });
}
