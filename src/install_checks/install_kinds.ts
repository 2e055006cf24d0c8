/** The kinds of packages, by name and by what a source shows. */
import { PthError } from "../core/errors.ts";
import type { ReadableFolder } from "../plugin/readable_folder.ts";
import type { InstallKind } from "./install_kind.ts";
import { registry } from "./kinds/_registry.ts";

export const installKindNames: readonly string[] = registry.map(({ name }) => name);

/** @throws {PthError} `INVALID_INPUT` */
export function installKindNamed(name: string): InstallKind {
  const found = registry.find((kind) => kind.name === name);
  if (found !== undefined) return found;
  throw new PthError("INVALID_INPUT", `Cannot check the package: there is no kind ${name}`, {
    next: [`One of: ${installKindNames.join(", ")}`],
  });
}

/** Name of the archive that a folder consists of; undefined where it is a source. */
export async function archiveIn(folder: ReadableFolder): Promise<string | undefined> {
  // The lock of the session lies in `.pth`.
  const names = (await folder.list()).filter((name) => name !== ".pth");
  const [only] = names;
  return names.length === 1 && kindOfArchive(only!) !== undefined ? only : undefined;
}

const kindOfArchive = (name: string): string | undefined =>
  registry.find(({ archives }) => archives?.test(name))?.name;

/** Whether a file of that name is an archive of a package. */
export const isPackageArchive = (name: string): boolean => kindOfArchive(name) !== undefined;

/**
 * Kinds of package that a folder is; of an archive, the kind of its name.
 * @throws {PthError} `TARGET_NOT_FOUND` where it is none
 */
export async function installKindsOf(folder: ReadableFolder): Promise<string[]> {
  const archive = await archiveIn(folder);
  if (archive !== undefined) return [kindOfArchive(archive)!];
  const detected = await Promise.all(registry.map((kind) => kind.detects(folder)));
  const names = registry.filter((_, index) => detected[index]).map(({ name }) => name);
  if (names.length > 0) return names;
  throw new PthError(
    "TARGET_NOT_FOUND",
    "Cannot check the installation: this is no package that is published",
    {
      tried: registry.map(({ name, detectedBy }) => `${name}: ${detectedBy}`),
      next: [{ terminal: "Name the kind: --kind" }],
    },
  );
}
