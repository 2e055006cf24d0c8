/** Writes a new case of evals into a plugin's folder on this machine; what lies there is neither trusted nor overwritten. */
import { PthError } from "../../core/errors.ts";
import { openConfined } from "../../platform/confined/open_confined.ts";
import { evalFolder } from "./read_evals.ts";

const plainName = /^[A-Za-z0-9][\w.-]{0,99}$/;

/**
 * Chooses the folder of a new case, below the plugin's.
 * @throws {PthError} `INVALID_INPUT` for a name that is none of a folder, or is taken
 */
export async function newCaseFolder(plugin: string, name: string): Promise<string> {
  const place = openConfined(plugin);
  if (!plainName.test(name)) {
    throw new PthError(
      "INVALID_INPUT",
      `Cannot write an eval: "${name}" is no name of a folder: letters, digits, "-", "_" and "."`,
    );
  }
  const folder = `${await evalFolder(place)}/${name}`;
  if (await place.stat(folder) === undefined) return folder;
  throw new PthError("INVALID_INPUT", `Cannot write an eval: there is ${folder} already`, {
    next: ["Give another name, or remove it"],
  });
}

/**
 * Writes files that are not there yet, whole or none of them.
 * @param files Texts by their path below the plugin
 */
export async function writeCase(plugin: string, files: Readonly<Record<string, string>>): Promise<void> {
  const place = openConfined(plugin);
  const made: string[] = [];
  try {
    for (const [path, text] of Object.entries(files)) {
      const file = await place.create(path, 0o644);
      made.push(path);
      try {
        file.write(new TextEncoder().encode(text));
      } finally {
        file.close();
      }
    }
  } catch (error) {
    for (const path of made) {
      await place.remove(path);
      await place.removeEmptyParents(path);
    }
    throw error;
  }
}
