/**
 * `PTH_HOME/live`: what of PTH can be watched. Of each announcement there is `<id>.json`, its socket, perhaps a temporary
 * recording, and a note of each viewer that reads it. Entries of processes that have ended are removed.
 */
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import {
  chmod,
  isAbsent,
  listFolder,
  lstat,
  readTextIfExists,
  removeIfExists,
  rename,
  writeTextFile,
} from "../platform/files.ts";
import { openOwnFolder } from "../platform/own_folder.ts";
import { stateDir } from "../platform/host.ts";
import { isObject, jsonIn } from "../core/values.ts";
import type { Announcement } from "./announcement.ts";
import { isOwnerAlive, type Owner, thisProcess } from "../platform/proc.ts";

/** A kernel takes paths of sockets up to 107 bytes, some up to 103. */
const longestSocketPath = 100;
/** `<id>.json` and what belongs to it; the last one is a recording that is being thinned. */
const ours = /^([0-9a-f]{8})\.(json|sock|viewer-[\w-]+|jsonl|jsonl\.thinning)$/;
/** Name of a file that is still being written, with its writer's pid and start time. */
const unfinished = /^\.(\d+)\.(\d*)\.[0-9a-f-]{36}\.tmp$/;

export const liveFolder = (): string => join(stateDir(), "live");

/** Makes the folder, readable by this user only. @throws the platform's own error if it cannot be made */
export async function openLiveFolder(folder: string): Promise<void> {
  await openOwnFolder(folder);
  await chmod(folder, 0o700);
}

/** Writes a file of the folder, whole. What a kill leaves of it says in its name whose it was. */
export async function writeLive(path: string, text: string): Promise<void> {
  const { pid, startTime = "" } = await thisProcess();
  await openOwnFolder(dirname(path));
  const beside = join(dirname(path), `.${pid}.${startTime}.${crypto.randomUUID()}.tmp`);
  try {
    await writeTextFile(beside, text, { mode: 0o600 });
    await rename(beside, path);
  } catch (error) {
    await removeIfExists(beside);
    throw error;
  }
}

/** In the folder, or in a folder of its own below the system's for temporary files where that path would be too long. */
export function socketPathOf(folder: string, id: string): string {
  const path = join(folder, `${id}.sock`);
  return new TextEncoder().encode(path).length <= longestSocketPath
    ? path
    : join(tmpdir(), `pth-live-${id}`, "sock");
}

/** True for a socket in a folder of its own, which goes with it. */
export const hasOwnFolder = (socket: string, id: string): boolean =>
  basename(dirname(socket)) === `pth-live-${id}`;

export const announcementPath = (folder: string, id: string): string => join(folder, `${id}.json`);
export const recordingPath = (folder: string, id: string): string => join(folder, `${id}.jsonl`);
export const viewerPath = (folder: string, id: string, viewer: string): string =>
  join(folder, `${id}.viewer-${viewer}`);

interface LiveEntries {
  living: Announcement[];
  /** Paths of processes that have ended. */
  dead: string[];
}

/** Reads the announcements of running processes, the longest-running first. Files with other names are ignored. */
export async function scanLiveSessions(folder: string = liveFolder()): Promise<LiveEntries> {
  const found: LiveEntries = { living: [], dead: [] };
  const groups = new Map<string, string[]>();
  for (const { name, isDirectory } of await listFolder(folder)) {
    const path = join(folder, name);
    const id = ours.exec(name)?.[1];
    if (isDirectory) continue;
    if (id !== undefined) groups.set(id, [...groups.get(id) ?? [], path]);
    else if (await isAbandoned(name)) found.dead.push(path);
  }
  for (const [id, paths] of groups) await judge(folder, id, paths, found);
  found.living.sort((a, b) => a.startedAt < b.startedAt ? -1 : 1);
  return found;
}

/** Removes announcements of processes that have ended. @returns those that could not be removed */
export async function removeDeadAnnouncements(
  dead: readonly string[],
  onFailure: (path: string, error: unknown) => void,
) {
  for (const path of dead) {
    try {
      await removeIfExists(path);
    } catch (error) {
      onFailure(path, error);
    }
  }
}

async function judge(folder: string, id: string, paths: string[], found: LiveEntries): Promise<void> {
  const announcement = await readAnnouncement(announcementPath(folder, id), id);
  if (announcement !== undefined && await isOwnerAlive(announcement.owner)) {
    found.living.push(announcement);
    found.dead.push(...await deadViewers(paths));
    return;
  }
  const viewers = paths.filter(isViewer);
  const gone = await deadViewers(paths);
  // The recording of a session that is over belongs to those who still look at it.
  const isRead = gone.length < viewers.length;
  found.dead.push(
    ...gone,
    ...paths.filter((path) => !isViewer(path) && !(isRead && path.endsWith(".jsonl"))),
  );
  if (announcement !== undefined && hasOwnFolder(announcement.socket, id)) {
    const own = dirname(announcement.socket);
    if (await isFolder(own)) found.dead.push(own);
  }
}

async function deadViewers(paths: readonly string[]): Promise<string[]> {
  const dead: string[] = [];
  for (const path of paths.filter(isViewer)) {
    const owner = ownerIn(await readJson(path));
    if (owner === undefined || !await isOwnerAlive(owner)) dead.push(path);
  }
  return dead;
}

const isViewer = (path: string): boolean => /\.viewer-[\w-]+$/.test(path);

/** Undefined for what is no announcement of this name, or is gone by now. */
async function readAnnouncement(path: string, id: string): Promise<Announcement | undefined> {
  const value = await readJson(path);
  if (!isObject(value) || value["id"] !== id || ownerIn(value["owner"]) === undefined) return undefined;
  const isWhole = ["startedAt", "command", "socket"].every((key) => typeof value[key] === "string");
  return isWhole ? value as unknown as Announcement : undefined;
}

const ownerIn = (value: unknown): Owner | undefined =>
  isObject(value) && typeof value["pid"] === "number" ? value as unknown as Owner : undefined;

/** Undefined for what is no JSON, and so nothing of ours: such files are written whole. */
async function readJson(path: string): Promise<unknown> {
  return jsonIn(await readTextIfExists(path) ?? "");
}

async function isAbandoned(name: string): Promise<boolean> {
  const [, pid, startTime] = unfinished.exec(name) ?? [];
  return pid !== undefined && !await isOwnerAlive({ pid: Number(pid), ...(startTime ? { startTime } : {}) });
}

const isFolder = async (path: string): Promise<boolean> => (await statIfThere(path))?.isDirectory ?? false;

async function statIfThere(path: string) {
  try {
    return await lstat(path);
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}
