/** Checks and reads a path that the caller named and that must stay within the plugin's folder. */
import { posix } from "node:path";
import { PthError } from "../core/errors.ts";
import { openConfined } from "../platform/confined/open_confined.ts";

/** @returns it with "/" and without detours. @throws {PthError} `INVALID_INPUT` */
export function sourcePathInside(path: string): string {
  const plain = posix.normalize(path.replaceAll("\\", "/"));
  const leaves = posix.isAbsolute(plain) || /^[A-Za-z]:/.test(plain) || plain.split("/")[0] === "..";
  if (!leaves && plain !== "." && !plain.endsWith("/")) return plain;
  throw new PthError("INVALID_INPUT", `Cannot use ${path}: it names no file within the plugin's folder`, {
    next: ["Give a path relative to the plugin's folder, for example .pth/contract.json"],
  });
}

/**
 * Reads a file; undefined where there is none. Links are followed as long as they stay in the folder.
 * @throws {PthError} `INVALID_INPUT` for a link that leads out of it, and for what is no file
 */
export async function readInside(folder: string, path: string): Promise<string | undefined> {
  try {
    return await openConfined(folder).readText(path, { followWithin: true });
  } catch (error) {
    if (!(error instanceof PthError) || error.code !== "PATH_REFUSED") throw error;
    throw new PthError("INVALID_INPUT", `Cannot read ${path}: ${error.context["reason"]}`, {
      next: ["Put a file in its place"],
    }, { cause: error });
  }
}
