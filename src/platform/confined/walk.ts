/**
 * The way from a root folder to a path below it, component by component, no link followed.
 *
 * On Linux each folder on the way is opened relative to the one before it and kept open while the work is done, so that
 * no process that renames or replaces folders meanwhile leads the work elsewhere. Where there is no `/proc` each component is
 * looked at before it is used: a link is refused there too, but one that comes between the look and the use is not.
 */
import {
  closeSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  realpathSync,
} from "node:fs";
import { isAbsolute, join, relative } from "node:path";
import { PthError } from "../../core/errors.ts";

/** The action on a path, for the error: "read", "write" … */
export interface PathRequest {
  action: string;
  path: string;
}

/** Linux' own number: neither runtime names it. Such a descriptor says what lies there and opens nothing. */
export const pathOnly = 0o10000000;

/** Whether descriptors can be gone on from. */
export const hasProcFd = existsSync("/proc/self/fd");

/** The parts of a path below the root; none for the root itself. @throws {PthError} `PATH_REFUSED` */
export function pathSegments(asked: PathRequest): string[] {
  const { path } = asked;
  if (path.includes("\0")) throw pathRefused(asked, path.replaceAll("\0", "\\0"), "holds a NUL character");
  if (path.startsWith("/")) throw pathRefused(asked, path, "is absolute");
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  if (parts.includes("..")) throw pathRefused(asked, path, "leads out of the folder");
  return parts;
}

export const pathRefused = (
  { action, path }: PathRequest,
  component: string,
  reason: string,
  facts: Record<string, unknown> = {},
): PthError =>
  new PthError("PATH_REFUSED", `Cannot ${action} ${path}: ${component} ${reason}`, {
    path,
    component,
    reason: `${component} ${reason}`,
    ...facts,
  });

export interface WalkOptions {
  /** Make folders that are missing on the way. */
  make?: boolean;
}

/**
 * Does work in the folder that a path leads to. `at` names that folder for as long as the work lasts.
 * @returns undefined where a folder on the way is missing, or is an ordinary file
 * @throws {PthError} `PATH_REFUSED` for a link on the way, and with `make` for a file
 */
export function withinFolder<T>(
  root: string,
  parts: readonly string[],
  asked: PathRequest,
  { make = false }: WalkOptions,
  work: (at: string) => T,
): T | undefined {
  let folder = openRoot(root, make);
  if (folder === undefined) return undefined;
  try {
    for (const [index, part] of parts.entries()) {
      const next = step(folder, part, make);
      if (typeof next === "string") {
        const component = parts.slice(0, index + 1).join("/");
        if (next === "absent" || (next === "a file, no folder" && !make)) return undefined;
        throw pathRefused(asked, component, `is ${next}`);
      }
      leave(folder);
      folder = next;
    }
    return work(folder.at);
  } finally {
    leave(folder);
  }
}

interface Folder {
  at: string;
  descriptor?: number;
}

const openFolder = (path: string, flags: number): Folder => {
  const descriptor = openSync(path, flags | pathOnly | constants.O_DIRECTORY);
  return { at: `/proc/self/fd/${descriptor}`, descriptor };
};

/** The root is PTH's own choice: where it is reached by a link (as /tmp may be), that is meant. */
function openRoot(root: string, needed: boolean): Folder | undefined {
  if (!hasProcFd) return { at: root };
  try {
    return openFolder(root, 0);
  } catch (error) {
    const isAbsent = errnoOf(error) === "ENOENT" || errnoOf(error) === "ENOTDIR";
    if (isAbsent && !needed) return undefined;
    throw error;
  }
}

function leave({ descriptor }: Folder): void {
  if (descriptor !== undefined) closeSync(descriptor);
}

/** The next folder, or what lies in its place. */
function step(folder: Folder, part: string, make: boolean): Folder | string {
  const path = join(folder.at, part);
  if (make) makeFolder(path);
  if (!hasProcFd) {
    const kind = obstacleAt(path);
    return kind ?? { at: path };
  }
  try {
    return openFolder(path, constants.O_NOFOLLOW);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return "absent";
    if (errnoOf(error) !== "ENOTDIR" && errnoOf(error) !== "ELOOP") throw error;
    return obstacleAt(path) ?? "changing while it is used";
  }
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path);
  } catch (error) {
    // Whatever is there already is looked at next.
    if (errnoOf(error) !== "EEXIST") throw error;
  }
}

/** Names what lies where a folder is needed; undefined for a folder. */
function obstacleAt(path: string): string | undefined {
  try {
    const info = lstatSync(path);
    if (info.isDirectory()) return undefined;
    if (!info.isSymbolicLink()) return "a file, no folder";
    return `a symbolic link to ${linkTarget(path) ?? "somewhere"}`;
  } catch (error) {
    if (errnoOf(error) === "ENOENT" || errnoOf(error) === "ENOTDIR") return "absent";
    throw error;
  }
}

/** Reads a link's target; undefined where there is no link. */
export function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch (error) {
    // EINVAL: it is something else, perhaps since just now.
    if (["EINVAL", "ENOENT", "ENOTDIR"].includes(errnoOf(error) ?? "")) return undefined;
    throw error;
  }
}

export const errnoOf = (error: unknown): string | undefined => (error as { code?: string }).code;

/** Limit in links, the kernel's own. */
const mostLinks = 40;

/**
 * The parts of a path without links that is the same file now. Its users follow no link: one that appears
 * meanwhile is refused.
 * @throws {PthError} `PATH_REFUSED` for a link out of the root, and for links that lead in a circle
 */
export function resolveWithin(root: string, asked: PathRequest): string[] {
  const todo = pathSegments(asked);
  const done: string[] = [];
  for (let links = 0; todo.length > 0;) {
    const part = todo.shift()!;
    if (part === "..") {
      if (done.pop() === undefined) {
        throw pathRefused(asked, asked.path, "is a symbolic link that leads out of the folder");
      }
      continue;
    }
    const target = withinFolder(root, done, asked, {}, (at) => linkTarget(join(at, part)));
    if (target === undefined) {
      done.push(part);
      continue;
    }
    const component = [...done, part].join("/");
    if (++links > mostLinks) throw pathRefused(asked, component, "is a symbolic link that leads in a circle");
    const within = isAbsolute(target) ? relative(realpathSync(root), target) : target;
    if (isAbsolute(target)) {
      if (within.split("/")[0] === "..") {
        throw pathRefused(asked, component, `is a symbolic link to ${target}, out of the folder`);
      }
      done.length = 0;
    }
    const ways = within.split("/").filter((way) => way !== "" && way !== ".");
    if (leaves(done, ways)) {
      throw pathRefused(asked, component, `is a symbolic link to ${target}, out of the folder`);
    }
    todo.unshift(...ways);
  }
  return done;
}

/** Whether the beginning of a link's target climbs above the root. */
function leaves(done: readonly string[], ways: readonly string[]): boolean {
  const climbs = ways.findIndex((way) => way !== "..");
  return (climbs === -1 ? ways.length : climbs) > done.length;
}
