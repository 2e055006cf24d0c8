/** Finds fixtures: folders with a `fixture.yaml`, and their tests. */
import { dirname, join, posix, relative } from "node:path";
import { PthError } from "../../core/errors.ts";
import { findRepository } from "../../git/repository.ts";
import { hasGit } from "../../git/git.ts";
import { type ConfinedFolder, openConfined } from "../../platform/confined/open_confined.ts";
import { realPath, stat } from "../../platform/files.ts";

export interface FoundFixture {
  /** Folder below the root. */
  folder: string;
  /** Files of tests below the root, in the order of their names. */
  tests: string[];
}

export interface FixturePlace {
  /** Repository that holds the fixtures, else the root: nothing outside of it is read. */
  files: ConfinedFolder;
  fixtures: FoundFixture[];
  /** Whether the root is a repository. */
  isRepository: boolean;
}

export const fixtureFile = "fixture.yaml";
const testFile = /^test_.*\.ya?ml$/;
const deepest = 8;
const mostFixtures = 200;
const mostTests = 1000;

/**
 * @param place Folder with fixtures below it, a fixture's folder, or the file of one test
 * @param above Folder that is the root where no repository holds them; absent: the one that was named
 * @throws {PthError} `TARGET_NOT_FOUND`
 */
export async function findFixtures(place: string, above?: string): Promise<FixturePlace> {
  const real = await realPath(place).catch(() => undefined);
  if (real === undefined) throw notFound(place, "there is nothing");
  const { isFile } = await stat(real);
  const folder = isFile ? fixtureFolderOf(real) : real;
  const repository = await hasGit() ? await findRepository(folder) : { reason: undefined };
  const isRepository = "top" in repository && !repository.bare;
  const files = openConfined(isRepository ? await realPath(repository.top) : above ?? folder);
  const within = toPosix(relative(files.root, folder));
  const fixtures: FoundFixture[] = [];
  await collect(files, within, 0, fixtures);
  if (fixtures.length === 0) throw notFound(place, "there is no fixture.yaml in it");
  if (!isFile) return { files, fixtures, isRepository };
  const only = toPosix(relative(files.root, real));
  const chosen = fixtures.filter(({ tests }) => tests.includes(only));
  if (chosen.length === 0) {
    throw notFound(place, "the file is no test of a fixture: tests are called test_*.yaml");
  }
  return { files, fixtures: chosen.map((each) => ({ ...each, tests: [only] })), isRepository };
}

const toPosix = (path: string): string => path.replaceAll("\\", "/");

/** Tests stand in the folder of `fixture.yaml`, or in `tests/` there. */
const fixtureFolderOf = (file: string): string =>
  dirname(file).endsWith("/tests") ? dirname(dirname(file)) : dirname(file);

const notFound = (place: string, state: string): PthError =>
  new PthError("TARGET_NOT_FOUND", `Cannot read fixtures: ${join(place)}: ${state}`, {
    next: ["A fixture is a folder with fixture.yaml, and tests/test_*.yaml"],
  });

async function collect(
  files: ConfinedFolder,
  folder: string,
  depth: number,
  found: FoundFixture[],
): Promise<void> {
  const entries = await files.list(folder);
  if (entries.some(({ name, kind }) => name === fixtureFile && kind !== "folder")) {
    if (found.length === mostFixtures) {
      throw new PthError("INVALID_INPUT", `Cannot read fixtures: there are more than ${mostFixtures}`);
    }
    const tests = [...await testsIn(files, folder), ...await testsIn(files, posix.join(folder, "tests"))];
    if (tests.length > mostTests) {
      throw new PthError(
        "INVALID_INPUT",
        `Cannot read fixtures: ${folder} has more than ${mostTests} test files`,
      );
    }
    found.push({ folder, tests });
    return;
  }
  if (depth === deepest) return;
  for (const { name, kind } of entries) {
    if (kind === "folder" && !name.startsWith(".") && name !== "node_modules") {
      await collect(files, posix.join(folder, name), depth + 1, found);
    }
  }
}

const testsIn = async (files: ConfinedFolder, folder: string): Promise<string[]> =>
  (await files.list(folder)).filter(({ name, kind }) => testFile.test(name) && kind !== "folder")
    .map(({ name }) => posix.join(folder, name));
