/**
 * The Superpowers plugin in the developer's Claude Code: never needed, only told, so that whoever drives
 * may hand complex changes to its skills.
 *
 * Claude Code 2 keeps an installed plugin in `plugins/cache/<marketplace>/<plugin>/<version>/` and lists it in
 * `plugins/installed_plugins.json`; older ones kept it in `plugins/cache/<plugin>/`.
 */
import { join, sep } from "node:path";
import type { SuperpowersInstall } from "../../machines/model/session.ts";
import { errorMessage } from "../core/errors.ts";
import { listFolder, pathExists, readTextIfExists } from "../platform/files.ts";
import { claudeDir, claudePluginDir, cwd } from "../platform/host.ts";
import { log } from "../platform/log.ts";
import { isObject } from "../core/values.ts";

interface ClaudeFolders {
  /** Holds `settings.json`. */
  config: string;
  /** Holds `installed_plugins.json` and `cache`. */
  plugins: string;
  /** Folder that the developer works in. */
  project: string;
}

interface Candidate {
  folder: string;
  version?: string;
}

const isSuperpowers = (name: string): boolean => name.toLowerCase() === "superpowers";

const ownFolders = (): ClaudeFolders => ({ config: claudeDir(), plugins: claudePluginDir(), project: cwd() });

/** Undefined where it is absent, disabled, or nothing can be read; never throws. */
export async function findSuperpowers(folders = ownFolders()): Promise<SuperpowersInstall | undefined> {
  try {
    for (const { folder, version } of await installed(folders) ?? await cached(folders.plugins)) {
      const skills = await skillsIn(folder);
      if (skills.length > 0) return { folder, skills, ...(version === undefined ? {} : { version }) };
    }
  } catch (error) {
    // Nobody needs it: that it cannot be read is no news to a session.
    log.debug("cannot look for Superpowers", { error: errorMessage(error) });
  }
  return undefined;
}

/** Plugins that Claude Code lists as installed and enabled; undefined if it has no list. */
async function installed({ config, plugins, project }: ClaudeFolders): Promise<Candidate[] | undefined> {
  const list = await readObject(join(plugins, "installed_plugins.json"));
  if (!isObject(list?.plugins)) return undefined;
  const { enabledPlugins } = await readObject(join(config, "settings.json")) ?? {};
  const disabled = (id: string) => isObject(enabledPlugins) && enabledPlugins[id] === false;
  return Object.entries(list.plugins)
    .filter(([id]) => isSuperpowers(id.split("@")[0]!) && !disabled(id))
    .flatMap(([, entries]) => Array.isArray(entries) ? entries : [entries])
    .flatMap((entry: unknown) => candidateOf(entry, project));
}

function candidateOf(entry: unknown, project: string): Candidate[] {
  if (!isObject(entry) || typeof entry.installPath !== "string") return [];
  const { projectPath, version, installPath } = entry;
  if (typeof projectPath === "string" && !`${project}${sep}`.startsWith(`${projectPath}${sep}`)) return [];
  return [{ folder: installPath, ...(typeof version === "string" ? { version } : {}) }];
}

/** Folders of the cache by their names, the newest version first. */
async function cached(plugins: string): Promise<Candidate[]> {
  const cache = join(plugins, "cache");
  const found: Candidate[] = [];
  for (const top of await foldersIn(cache)) {
    if (isSuperpowers(top)) found.push({ folder: join(cache, top) });
    for (const name of (await foldersIn(join(cache, top))).filter(isSuperpowers)) {
      const folder = join(cache, top, name);
      const versions = (await foldersIn(folder)).sort(compareVersions).reverse();
      found.push(...versions.map((version) => ({ folder: join(folder, version), version })));
    }
  }
  return found;
}

const compareVersions = (a: string, b: string): number => a.localeCompare(b, "en", { numeric: true });

async function skillsIn(folder: string): Promise<string[]> {
  const skills: string[] = [];
  for (const name of await foldersIn(join(folder, "skills"))) {
    if (await pathExists(join(folder, "skills", name, "SKILL.md"))) skills.push(name);
  }
  return skills.sort();
}

/** Links may lead to folders. */
const foldersIn = async (folder: string): Promise<string[]> =>
  (await listFolder(folder)).filter(({ isFile }) => !isFile).map(({ name }) => name);

async function readObject(path: string): Promise<Record<string, unknown> | undefined> {
  const text = await readTextIfExists(path);
  const value: unknown = text === undefined ? undefined : JSON.parse(text);
  return isObject(value) ? value : undefined;
}

/** One line, for people and models. */
export const describeSuperpowers = ({ version, skills }: SuperpowersInstall): string =>
  `Superpowers${version === undefined ? "" : ` ${version}`} is installed in Claude Code: ${
    skills.join(", ")
  }`;
