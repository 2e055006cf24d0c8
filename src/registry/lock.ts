/** One session per plugin: `.pth/active-session.lock` in the plugin's own folder. */
import { delay } from "../core/waiting.ts";
import { basename, dirname, join } from "node:path";
import { errorMessage, PthError } from "../core/errors.ts";
import { createWhole } from "../platform/append_durably.ts";
import {
  isAbsent,
  listFolder,
  mkdir,
  readTextIfExists,
  removeEmptyFolder,
  removeIfExists,
} from "../platform/files.ts";
import { isOwnerAlive, type Owner, thisProcess } from "../platform/proc.ts";

interface SessionLock extends Owner {
  sessionId: string;
  branch?: string;
  /** ISO 8601. */
  timestamp: string;
}

/** Path of the lock within a plugin's folder; never copied, never committed. */
export const lockFile = ".pth/active-session.lock";

export const lockPath = (pluginFolder: string): string => join(pluginFolder, lockFile);

/**
 * Takes the lock. A dead owner's is taken over; a live one's only with `force`.
 * @returns things to say to the user
 * @throws {PthError} `SESSION_LOCKED` naming the owner
 */
export async function takeLock(
  pluginFolder: string,
  { sessionId, branch, force = false }: { sessionId: string; branch?: string; force?: boolean },
): Promise<{ taken: boolean; notes: string[] }> {
  const path = lockPath(pluginFolder);
  const lock: SessionLock = {
    sessionId,
    ...(branch === undefined ? {} : { branch }),
    ...await thisProcess(),
    timestamp: new Date().toISOString(),
  };
  const notes: string[] = [];
  try {
    await mkdir(dirname(path), { recursive: true });
    // Whoever loses the race for a dead lock meets a live one on a later turn.
    for (let turn = 0; turn < 100; turn++) {
      const text = JSON.stringify(lock, undefined, 2) + "\n";
      if (await createWhole(path, text, sessionId)) return { taken: true, notes };
      notes.push(...await clearTheWay(path, lock, force));
    }
  } catch (error) {
    if (error instanceof PthError) throw error;
    return { taken: false, notes: [`No session lock: ${path} cannot be written (${errorMessage(error)}).`] };
  }
  throw new PthError("SESSION_LOCKED", `Cannot lock ${pluginFolder}: other sessions keep taking it`, {
    next: ["Try again in a moment", {
      terminal: "See which sessions there are: pth preflight",
      mcp: "See which sessions there are: pth_preflight({})",
    }],
  });
}

/** Reads a session lock; undefined if there is none. A file that is no lock counts as one of an ended process. */
export async function readLock(
  pluginFolder: string,
): Promise<{ lock?: SessionLock; alive: boolean } | undefined> {
  try {
    const text = await readTextIfExists(lockPath(pluginFolder));
    return text === undefined ? undefined : await judge(text);
  } catch (error) {
    // `.pth` is a file: there is no lock in it.
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

/** Removes the lock if it is this session's, and `.pth` if nothing else is in it. */
export async function releaseLock(pluginFolder: string, sessionId: string): Promise<boolean> {
  const found = await readLock(pluginFolder);
  if (found?.lock?.sessionId !== sessionId) return false;
  await removeIfExists(guardOf(lockPath(pluginFolder)));
  await clearLock(pluginFolder, sessionId);
  return true;
}

/** Paths that a session left of its lock, or of taking it if it was killed then; `.pth` itself if it is empty. */
export async function staleLock(pluginFolder: string, sessionId: string): Promise<string[]> {
  const path = lockPath(pluginFolder);
  const folder = dirname(path);
  const names = (await listFolder(folder)).map(({ name }) => name);
  if (names.length === 0) {
    const made = (await listFolder(pluginFolder)).some(({ name, isDirectory }) =>
      isDirectory && name === basename(folder)
    );
    return made ? [folder] : [];
  }
  const left: string[] = [];
  for (const file of [path, guardOf(path)]) {
    const { lock } = await judge(await readTextIfExists(file) ?? "");
    if (lock?.sessionId === sessionId) left.push(file);
    if (names.includes(`${basename(file)}.${sessionId}`)) left.push(`${file}.${sessionId}`);
  }
  return left;
}

/** Removes that, and `.pth` if nothing else is in it; what others took meanwhile stays. */
export async function clearLock(pluginFolder: string, sessionId: string): Promise<void> {
  const folder = dirname(lockPath(pluginFolder));
  for (const path of await staleLock(pluginFolder, sessionId)) {
    if (path !== folder) await removeIfExists(path);
  }
  await removeEmptyFolder(folder);
}

/** Removes a dead lock (with `force` any). One at a time does it, and looks again once it is alone. */
async function clearTheWay(path: string, me: SessionLock, force: boolean): Promise<string[]> {
  const guard = guardOf(path);
  if (!await createWhole(guard, JSON.stringify(me), me.sessionId)) {
    const other = await judge(await readTextIfExists(guard) ?? JSON.stringify(me));
    if (!other.alive) await removeIfExists(guard);
    await delay(20);
    return [];
  }
  try {
    const text = await readTextIfExists(path);
    if (text === undefined) return [];
    const { lock, alive } = await judge(text);
    if (alive && !force) throw lockedBy(path, lock!);
    await removeIfExists(path);
    const whose = lock
      ? `session ${lock.sessionId} (pid ${lock.pid}, ${lock.timestamp})`
      : "an unknown session";
    return [
      alive
        ? `Took the lock of a live session, as requested: ${whose}.`
        : `Took over a dead lock of ${whose}.`,
    ];
  } finally {
    await removeIfExists(guard);
  }
}

const guardOf = (path: string): string => `${path}.takeover`;

async function judge(text: string): Promise<{ lock?: SessionLock; alive: boolean }> {
  try {
    const lock = JSON.parse(text) as Partial<SessionLock> | null;
    if (lock === null || typeof lock.pid !== "number") return { alive: false };
    const known = { sessionId: "?", timestamp: "?", ...lock, pid: lock.pid };
    return { lock: known, alive: await isOwnerAlive(known) };
  } catch (error) {
    if (error instanceof SyntaxError) return { alive: false };
    throw error;
  }
}

const lockedBy = (path: string, lock: SessionLock) =>
  new PthError(
    "SESSION_LOCKED",
    `Cannot start session: session ${lock.sessionId} (pid ${lock.pid}, since ${lock.timestamp}) is active on this plugin`,
    {
      lock: path,
      pid: lock.pid,
      sessionId: lock.sessionId,
      ...(lock.branch === undefined ? {} : { branch: lock.branch }),
      next: ["End that session first", {
        terminal: "Or take the lock over: --force",
        mcp: "Or take the lock over: pth_start_session({ pluginPath, force: true })",
      }],
    },
  );
