/** Files for the plugin's author, never outside the folder that they are meant for. */
import { PthError } from "../core/errors.ts";
import { openConfined } from "./confined/open_confined.ts";
import { mkdir } from "./files.ts";

/** A file to be written: a path with "/" within the folder, and its whole text. */
export interface ExportFile {
  path: string;
  text: string;
}

/**
 * Writes the files; those that stand there already with the same text stay untouched.
 * @returns the paths that were written
 * @throws {PthError} `INVALID_INPUT` where a link stands in the way, wherever it leads; nothing is written then
 */
export async function writeInside(folder: string, files: readonly ExportFile[]): Promise<string[]> {
  await mkdir(folder, { recursive: true });
  for (const { path } of files) await requireInside(folder, path);
  const place = openConfined(folder);
  const written: string[] = [];
  for (const { path, text } of files) {
    if (await place.readText(path) === text) continue;
    await place.write(path, text);
    written.push(path);
  }
  return written;
}

/**
 * A repository can hold links, and so can what a fix makes of it.
 * @throws {PthError} `INVALID_INPUT` where the path, or a folder on the way to it, is a link
 */
export async function requireInside(folder: string, path: string): Promise<void> {
  try {
    const there = await openConfined(folder).stat(path);
    if (there === undefined || there.kind === "file") return;
    throw notWritten(path, `it is a ${there.kind === "link" ? "symbolic link" : there.kind}`);
  } catch (error) {
    if (!(error instanceof PthError) || error.code !== "PATH_REFUSED") throw error;
    throw notWritten(path, String(error.context["reason"]));
  }
}

const notWritten = (path: string, reason: string): PthError =>
  new PthError("INVALID_INPUT", `Cannot write ${path}: ${reason}`, {
    next: ["Remove it from the plugin's folder, or put the file in its place"],
  });
