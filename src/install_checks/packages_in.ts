/** Packages that lie in a folder's `node_modules`. */
import type { ReadableFolder } from "../plugin/readable_folder.ts";

/** Names, those of scopes with their scope. */
export async function packagesIn(folder: ReadableFolder): Promise<Set<string>> {
  const names = await folder.list("node_modules");
  const scoped = await Promise.all(
    names.filter((name) => name.startsWith("@")).map(async (scope) =>
      (await folder.list(`node_modules/${scope}`)).map((name) => `${scope}/${name}`)
    ),
  );
  return new Set([...names, ...scoped.flat()]);
}
