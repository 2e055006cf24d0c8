/** Finds the plugin that a file of tests names, within the root. */
import { posix } from "node:path";
import { isObject, jsonIn } from "../core/values.ts";
import type { ConfinedFolder } from "../platform/confined/open_confined.ts";

const largestManifest = 1024 * 1024;

/**
 * @param tests Folder of the tests, below the root
 * @param name A plugin's name, `name@marketplace`, or a folder (with a slash, or of dots); absent: the plugin that holds
 * the tests
 * @returns its folder below the root, or undefined
 */
export async function findPlugin(
  files: ConfinedFolder,
  tests: string,
  name: string | undefined,
): Promise<string | undefined> {
  if (name !== undefined && (name.includes("/") || /^\.+$/.test(name))) {
    const folder = posix.normalize(posix.join(tests, name)).replace(/\/$/, "");
    if (folder.startsWith("..")) return undefined;
    return (await files.stat(folder))?.kind === "folder" ? folder : undefined;
  }
  const wanted = name?.split("@", 1)[0];
  for (const above of foldersFrom(tests)) {
    const manifest = await jsonOf(files, posix.join(above, ".claude-plugin/plugin.json"));
    if (manifest !== undefined && (wanted === undefined || manifest.name === wanted)) return above;
    if (wanted === undefined) continue;
    const market = await jsonOf(files, posix.join(above, ".claude-plugin/marketplace.json"));
    const entries = Array.isArray(market?.plugins) ? market.plugins.filter(isObject) : [];
    const source = entries.find((entry) => entry.name === wanted)?.source;
    if (typeof source !== "string") continue;
    const folder = posix.normalize(posix.join(above, source)).replace(/\/$/, "");
    if (!folder.startsWith("..") && (await files.stat(folder))?.kind === "folder") return folder;
  }
  return undefined;
}

/** The folder and all above it, up to the root, "". */
export const foldersFrom = (folder: string): string[] => {
  const parts = folder.split("/").filter((part) => part !== "" && part !== ".");
  return [...parts.map((_, index) => parts.slice(0, parts.length - index).join("/")), ""];
};

async function jsonOf(files: ConfinedFolder, path: string): Promise<Record<string, unknown> | undefined> {
  if ((await files.stat(path))?.kind !== "file") return undefined;
  const value = jsonIn(await files.readText(path, { maxBytes: largestManifest }) ?? "");
  return isObject(value) ? value : undefined;
}
