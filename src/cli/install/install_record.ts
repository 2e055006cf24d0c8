/** The record of what `pth install` has changed on this machine, in PTH's own folder, so that `--undo` restores it exactly. */
import { join } from "node:path";
import * as z from "zod";
import { PthError } from "../../core/errors.ts";
import { jsonIn } from "../../core/values.ts";
import { readTextIfExists, removeEmptyFolder, removeIfExists } from "../../platform/files.ts";
import { openOwnFolder, writeOwnText } from "../../platform/own_folder.ts";

const fileSchema = z.object({
  /** Absolute path of the file. */
  path: z.string(),
  /** Whether the file was made. */
  created: z.boolean(),
  /** Folders that were made for it, outermost first. */
  folders: z.array(z.string()),
  at: z.number(),
  removed: z.string(),
  inserted: z.string(),
});

/** Change of one file: never more of it than the piece that was replaced. */
export type InstalledFile = z.infer<typeof fileSchema>;

const recordSchema = z.object({ version: z.literal(1), files: z.array(fileSchema) });

const recordPath = (stateFolder: string): string => join(stateFolder, "agent-setups.json");

/**
 * @param stateFolder PTH's own folder (`PTH_HOME`)
 * @throws {PthError} `INVALID_CONFIG` where the record is none
 */
export async function readInstallRecord(stateFolder: string): Promise<InstalledFile[]> {
  const path = recordPath(stateFolder);
  const text = await readTextIfExists(path);
  if (text === undefined) return [];
  const { success, data } = recordSchema.safeParse(jsonIn(text));
  if (success) return data.files;
  throw new PthError("INVALID_CONFIG", `Cannot read ${path}: it is no record of installs`, {
    next: [`Remove it: rm "${path}"; entries and skills are still found without it`],
  });
}

export async function writeInstallRecord(
  stateFolder: string,
  files: readonly InstalledFile[],
): Promise<void> {
  if (files.length === 0) {
    await removeIfExists(recordPath(stateFolder));
    return await removeEmptyFolder(stateFolder);
  }
  await openOwnFolder(stateFolder);
  await writeOwnText(recordPath(stateFolder), `${JSON.stringify({ version: 1, files }, undefined, 2)}\n`);
}
