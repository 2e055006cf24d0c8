/**
 * Files of other programs in a person's home or project: read and replaced only where they are what they seem to be. A link,
 * another user's file or odd permissions are refused: who replaces such a file breaks what its owner set up.
 */
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { PthError } from "../core/errors.ts";
import { openConfined } from "./confined/open_confined.ts";
import { mkdir } from "./files.ts";
import { uid } from "./host.ts";

/** A file below a folder that is trusted, such as the home; `path` has "/" and is relative to `root`. */
export interface SettingsPlace {
  root: string;
  path: string;
}

export interface SettingsFile {
  text: string;
  /** Permissions. */
  mode: number;
}

const largest = 16_000_000;
const special = 0o7000;
const writableByAll = 0o002;
const writableByOwner = 0o200;

/** Path on the host. */
export const settingsPath = ({ root, path }: SettingsPlace): string => join(root, path);

/**
 * Reads a file of another program; undefined where there is none.
 * @throws {PthError} `PATH_REFUSED` for what should not be replaced: a link, anything but a file, a foreign owner, odd
 *   permissions, further names of the file, bytes that are no UTF-8, more than 16 MB
 */
export async function readSettings(place: SettingsPlace): Promise<SettingsFile | undefined> {
  const parts = place.path.split("/");
  for (let length = 1; length <= parts.length; length++) {
    const problem = await problemAt(join(place.root, ...parts.slice(0, length)), length === parts.length);
    if (problem === "absent") return undefined;
    if (problem !== undefined) throw refused(place, problem);
  }
  const { mode } = await lstat(settingsPath(place));
  const bytes = await openConfined(place.root).read(place.path, { maxBytes: largest });
  return bytes && { text: decoded(bytes, place), mode: mode & 0o777 };
}

/** Absent folders and files are no problem. */
async function problemAt(path: string, last: boolean): Promise<string | undefined> {
  try {
    const info = await lstat(path);
    const named = last ? "it" : path;
    if (info.isSymbolicLink()) return `${named} is a symbolic link`;
    if (last ? !info.isFile() : !info.isDirectory()) return `${named} is no ${last ? "file" : "folder"}`;
    if (info.uid !== uid()) return `${named} belongs to another user (uid ${info.uid})`;
    if (!last) return undefined;
    const mode = (info.mode & 0o7777).toString(8).padStart(4, "0");
    if ((info.mode & special) !== 0) return `it is setuid, setgid or sticky (mode ${mode})`;
    if ((info.mode & writableByAll) !== 0) return `all users may write to it (mode ${mode})`;
    if ((info.mode & writableByOwner) === 0) return `it is write-protected (mode ${mode})`;
    return info.nlink > 1
      ? `it has ${info.nlink} names (hard links), and the others would keep the old text`
      : undefined;
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes((error as { code?: string }).code ?? "")) return "absent";
    throw error;
  }
}

function decoded(bytes: Uint8Array, place: SettingsPlace): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw refused(place, "it is no UTF-8 text", { cause });
  }
}

const refused = (place: SettingsPlace, problem: string, options?: { cause: unknown }): PthError =>
  new PthError("PATH_REFUSED", `Cannot edit ${settingsPath(place)}: ${problem}`, {
    path: settingsPath(place),
    next: [
      `Look at what it is: ls -ld "${settingsPath(place)}"`,
      "Put a plain file of your own in its place",
    ],
  }, options);

/**
 * Replaces, makes or (with `text` undefined) removes the file, provided that it still holds what was read.
 * @param before Text that was read; undefined: there was no file.
 * @param mode Permissions; undefined: as the system gives.
 * @throws {PthError} `PATH_REFUSED` as `readSettings`, and where another program has changed the file
 */
export async function replaceSettings(
  place: SettingsPlace,
  { before, text, mode }: { before: string | undefined; text: string | undefined; mode?: number | undefined },
): Promise<void> {
  const now = await readSettings(place);
  if (now?.text !== before) throw refused(place, "another program has changed it meanwhile");
  const folder = openConfined(place.root);
  if (text === undefined) return await folder.remove(place.path);
  await mkdir(place.root, { recursive: true });
  await folder.write(place.path, text, mode === undefined ? {} : { mode });
}
