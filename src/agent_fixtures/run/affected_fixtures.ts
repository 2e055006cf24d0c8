/** Fixtures that changed files are about. */
import { relative } from "node:path";
import type { ReadFixtures } from "../format/read_fixtures.ts";

/**
 * A file in a fixture's folder is about that fixture alone, one that tests name about theirs, and any other file of a plugin
 * about all fixtures of it.
 * @param paths Files below the root that came, went or changed
 * @returns names of the fixtures
 */
export function affectedFixtures(
  paths: readonly string[],
  { fixtures, origins, root }: Pick<ReadFixtures, "fixtures" | "origins" | "root">,
): Set<string> {
  const folders = [...origins].map(([name, { folder }]) => ({ name, folder }))
    .toSorted((a, b) => b.folder.length - a.folder.length);
  const affected = new Set<string>();
  for (const path of paths) {
    const readers = [...origins].filter(([, { reads }]) => [...reads].some((read) => isWithin(path, read)));
    for (const [name] of readers) affected.add(name);
    const own = folders.find(({ folder }) => isWithin(path, folder));
    if (own !== undefined) affected.add(own.name);
    if (own !== undefined || readers.length > 0) continue;
    for (const { name, plugin } of fixtures) {
      if (isWithin(path, relative(root, plugin))) affected.add(name);
    }
  }
  return affected;
}

const isWithin = (path: string, folder: string): boolean =>
  folder === "" || path === folder || path.startsWith(`${folder}/`);
