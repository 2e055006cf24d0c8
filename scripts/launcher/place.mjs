/**
 * Place where an installed plugin keeps what it made of itself: `.installed/` beside the sources.
 *
 *   .installed/<fingerprint>/   a bundle for plain Node (`scripts/bundle.mjs`), moved there whole
 *   .installed/state.json       the installation that runs, or why the last one failed
 *   .installed/install.log      what the last installation said
 */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { data } from "../bundle.mjs";

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
export const folder = join(root, ".installed");
export const stateFile = join(folder, "state.json");
export const logFile = join(folder, "install.log");

/** Sources of a bundle: a change of any of them makes the bundle stale. */
const parts = ["package.json", "scripts/bundle.mjs", "scripts/prebuild.ts", "src", "machines", ...data];

/** The folder of the bundle that belongs to the sources as they are now. */
export const bundleFolder = () => join(folder, fingerprint());

/** The entry of the installed server, or undefined where none fits the sources. */
export function findInstalled() {
  const entry = join(bundleFolder(), "main.js");
  return existsSync(entry) ? entry : undefined;
}

/** Names, sizes and times of the parts' files: reading them all would take longer than starting the server. */
function fingerprint() {
  const lines = [`${process.platform} ${process.arch}`];
  const addFile = (path, info) => void lines.push(`${path}\0${info.size}\0${info.mtimeMs}`);
  const addFolder = (path) => {
    const entries = readdirSync(join(root, path), { withFileTypes: true });
    for (const entry of entries.sort((one, other) => one.name < other.name ? -1 : 1)) {
      const below = `${path}/${entry.name}`;
      if (entry.isDirectory()) addFolder(below);
      else addFile(below, statSync(`${root}/${below}`));
    }
  };
  for (const part of parts) {
    const info = statSync(join(root, part), { throwIfNoEntry: false });
    if (info?.isDirectory()) addFolder(part);
    else if (info !== undefined) addFile(part, info);
  }
  return createHash("sha256").update(lines.join("\n")).digest("hex").slice(0, 16);
}
