/** Changes of files as they are planned: shown first, then written all together. */
import { dirname, isAbsolute, join, relative } from "node:path";
import { pathExists } from "../../platform/files.ts";
import { settingsPath, type SettingsPlace } from "../../platform/settings_file.ts";
import type { InstalledFile } from "./install_record.ts";
import type { KnownAgent } from "./known_agents.ts";
import { textReplacement } from "./text_replacement.ts";

export interface SettingsChange {
  place: SettingsPlace;
  /** Undefined: there is no such file. */
  before: string | undefined;
  /** Undefined: the file goes. */
  after: string | undefined;
  /** Permissions of the file; undefined: as the system gives. */
  mode: number | undefined;
  /** Facts that `--undo` needs afterwards; undefined: none. */
  recorded: InstalledFile | undefined;
  /** Folders that were made for the file, and go with it where they are empty. */
  leaves: string[];
}

/** Changes for one agent. */
export interface AgentPlan {
  agent: KnownAgent;
  changes: SettingsChange[];
  /** Reasons for what is not done, and what is left to the person. */
  notes: string[];
}

/** The folder that is trusted, and the path below it: the home or project, or what exists of a folder elsewhere. */
export async function placeWithin(root: string, path: string): Promise<SettingsPlace> {
  const below = relative(root, path);
  if (!below.startsWith("..") && !isAbsolute(below)) return { root, path: below };
  let folder = dirname(path);
  while (!await pathExists(folder)) folder = dirname(folder);
  return { root: folder, path: relative(folder, path) };
}

/** @param restored Text that `--undo` restores; undefined: the file was made. */
export async function recordedChange(
  place: SettingsPlace,
  restored: string | undefined,
  after: string,
  earlier: InstalledFile | undefined,
): Promise<InstalledFile> {
  return {
    path: settingsPath(place),
    created: restored === undefined,
    folders: earlier?.folders ?? await missingFolders(place),
    ...textReplacement(restored ?? "", after),
  };
}

async function missingFolders({ root, path }: SettingsPlace): Promise<string[]> {
  const folders: string[] = [];
  for (let below = dirname(path); below !== "."; below = dirname(below)) {
    if (!await pathExists(join(root, below))) folders.unshift(join(root, below));
  }
  return folders;
}
