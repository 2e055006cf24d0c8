/** Finds patches that were saved from dead sessions' folders and are old enough to be removed. */
import { join } from "node:path";
import { isAbsent, listFolder, lstat, remove } from "../../platform/files.ts";
import { salvageFolder } from "./save_uncommitted_work.ts";

const day = 24 * 60 * 60 * 1000;
/** Days after which a patch counts as forgotten. */
const forgottenAfter = 30;
/** Number of patches that are stored, in addition to all that are younger than `recentFor` days. */
const maxStored = 50;
const recentFor = 7;
/** Days after which what only a salvage under way needs was left by one that was killed. */
const abandonedAfter = 1;

export interface OldSalvage {
  path: string;
  remove(): Promise<void>;
}

/** @param now in ms */
export async function oldSalvages(now = Date.now()): Promise<OldSalvage[]> {
  const found = await Promise.all(
    (await listFolder(salvageFolder())).map(async ({ name }) => {
      const path = join(salvageFolder(), name);
      const age = await ageOf(path, now);
      return age === undefined ? [] : [{ path, age, isPatch: name.endsWith(".patch") }];
    }),
  );
  const all = found.flat().sort((a, b) => a.age - b.age);
  const tooMany = new Set(all.filter(({ isPatch }) => isPatch).slice(maxStored));
  return all.filter((each) =>
    each.isPatch
      ? each.age > forgottenAfter || (tooMany.has(each) && each.age > recentFor)
      : each.age > abandonedAfter
  ).map(({ path }) => ({ path, remove: () => removed(path) }));
}

/** In days; undefined where it has gone meanwhile. */
async function ageOf(path: string, now: number): Promise<number | undefined> {
  try {
    const { mtime } = await lstat(path);
    return mtime === null ? 0 : (now - mtime.getTime()) / day;
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

async function removed(path: string): Promise<void> {
  try {
    await remove(path, { recursive: true });
  } catch (error) {
    if (!isAbsent(error)) throw error; // another clean was quicker
  }
}
