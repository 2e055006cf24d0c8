/** Writes planned changes: all of them, or none. */
import { errorMessage, PthError } from "../../core/errors.ts";
import { removeEmptyFolder } from "../../platform/files.ts";
import { replaceSettings, settingsPath } from "../../platform/settings_file.ts";
import type { SettingsChange } from "./settings_change.ts";
import { type InstalledFile, writeInstallRecord } from "./install_record.ts";

/**
 * Writes additions to the record before the files, and removals from it after them: a process that is killed in between
 * can be undone.
 * @param stateFolder PTH's own folder
 * @throws {PthError} of the change that failed; those before it are taken back, and it says which could not be
 */
export async function applyChanges(
  changes: readonly SettingsChange[],
  stateFolder: string,
  record: readonly InstalledFile[],
): Promise<void> {
  const changed = new Set(changes.map(({ place }) => settingsPath(place)));
  const others = record.filter(({ path }) => !changed.has(path));
  const added = changes.flatMap(({ recorded }) => recorded ?? []);
  if (added.length > 0) await writeInstallRecord(stateFolder, [...others, ...added]);
  const done: SettingsChange[] = [];
  try {
    for (const change of changes) {
      await write(change);
      done.push(change);
    }
  } catch (error) {
    const left = await takenBack(done);
    if (added.length > 0 && left.length === 0) await writeInstallRecord(stateFolder, record);
    if (left.length === 0) throw error;
    throw new PthError("EDIT_FAILED", `${errorMessage(error)}; and not everything could be taken back`, {
      tried: left,
      next: ["Take back by hand what is named, or run pth install --undo"],
    }, { cause: error });
  }
  if (added.length === 0 && others.length < record.length) await writeInstallRecord(stateFolder, others);
}

async function write({ place, before, after, mode, leaves }: SettingsChange): Promise<void> {
  await replaceSettings(place, { before, text: after, mode });
  if (after !== undefined) return;
  for (const folder of leaves.toReversed()) await removeEmptyFolder(folder);
}

/** Takes changes back; answers the reasons why some could not be. */
async function takenBack(done: readonly SettingsChange[]): Promise<string[]> {
  const left: string[] = [];
  for (const { place, before, after, mode, recorded } of done.toReversed()) {
    try {
      await write({
        place,
        before: after,
        after: before,
        mode,
        recorded: undefined,
        leaves: recorded?.folders ?? [],
      });
    } catch (error) {
      left.push(errorMessage(error));
    }
  }
  return left;
}
