/**
 * A folder of the host of which not every path can be trusted: paths come from tests, fixes, archives and plugins, and
 * links in it may lead anywhere. Each call goes from the root component by component and follows no link, also while
 * another process renames and replaces things in it (`walk.ts` says where that holds).
 *
 * All paths are relative to the root, with "/". A path that is absolute, climbs with "..", or has a link, a fifo, a
 * socket or a device in it is refused with `PATH_REFUSED`, which names the path and the component.
 */
import { chmodSync, opendirSync, renameSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import {
  bytesOf,
  copyBytes,
  copyStream,
  createAt,
  type FileSink,
  readingFile,
  withOpened,
  writeFileAt,
  type WriteOptions,
} from "./contents.ts";
import { infoOf, kindText, type PathInfo } from "./info.ts";
import { removeAt, removeEmptyAt } from "./remove_at.ts";
import {
  linkTarget,
  pathRefused,
  type PathRequest,
  pathSegments,
  resolveWithin,
  withinFolder,
} from "./walk.ts";

export type { PathInfo } from "./info.ts";
export type { FileSink, WriteOptions } from "./contents.ts";

export interface ReadOptions {
  /** Follow links as long as each of them stays within the root: what a repository tracks may be one. */
  followWithin?: boolean;
  /** A larger file is refused; 64 MB by default. */
  maxBytes?: number;
}

export interface ConfinedFolder {
  readonly root: string;
  /** Undefined where nothing is, or a file stands in a folder's place. */
  stat(path: string, options?: Pick<ReadOptions, "followWithin">): Promise<PathInfo | undefined>;
  /** Bytes of a file; undefined where there is none. */
  read(path: string, options?: ReadOptions): Promise<Uint8Array | undefined>;
  readText(path: string, options?: ReadOptions): Promise<string | undefined>;
  readLink(path: string): Promise<string | undefined>;
  /** Lists a folder's entries, sorted by name; none where there is no folder. */
  list(path: string, options?: Pick<ReadOptions, "followWithin">): Promise<ListedEntry[]>;
  /** Whole or not at all; folders above it are made. */
  write(path: string, content: Uint8Array | string, options?: WriteOptions): Promise<void>;
  /** A copy of a file of another such folder, of any size, with its permissions but for setuid. False where there is none. */
  copyFrom(source: ConfinedFolder, from: string, path: string, options?: WriteOptions): Promise<boolean>;
  /** A new file that is filled bit by bit; nothing may be in its place. */
  create(path: string, mode: number, modified?: Date): Promise<FileSink>;
  /** Moves a file or a folder of another such folder of the same disk; a file may be in its place. */
  takeFrom(source: ConfinedFolder, from: string, path: string): Promise<void>;
  /** A symbolic link in the place of whatever file is there; what it says is not looked at. */
  symlink(path: string, target: string): Promise<void>;
  /** Makes a folder and those above it. */
  mkdir(path: string): Promise<void>;
  /** Removes a file, a link or a whole folder; one that is not there is no error. */
  remove(path: string): Promise<void>;
  /** Removes the folders above a path that hold nothing any more; never the root. */
  removeEmptyParents(path: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  /** Sets the permissions of a file or a folder. */
  chmod(path: string, mode: number): Promise<void>;
}

export interface ListedEntry {
  name: string;
  kind: "file" | "folder" | "link" | "other";
}

const defaultLargest = 64_000_000;

/** More names in one folder are no source. */
const mostEntries = 1_000_000;

export function openConfined(root: string): ConfinedFolder {
  const within = <T>(asked: PathRequest, options: PlaceOptions, work: Work<T>) =>
    atPlace(root, asked, options, work);
  const confined: ConfinedFolder = {
    root,
    stat: (path, { followWithin = false } = {}) =>
      soon(() => {
        const asked = { action: "look at", path };
        const parts = followWithin ? resolveWithin(root, asked) : pathSegments(asked);
        const last = parts.pop();
        return withinFolder(root, parts, asked, {}, (at) => infoOf(`${at}/${last ?? "."}`));
      }),
    read: (path, { followWithin = false, maxBytes = defaultLargest } = {}) =>
      soon(() => {
        const asked = { action: "read", path };
        return within(asked, { followWithin }, (at, name) =>
          readingFile(
            join(at, name),
            asked,
            (descriptor, { size }) => bytesOf(descriptor, size, maxBytes, asked),
          ));
      }),
    async readText(path, options) {
      const bytes = await confined.read(path, options);
      return bytes && new TextDecoder().decode(bytes);
    },
    readLink: (path) =>
      soon(() => within({ action: "read", path }, {}, (at, name) => linkTarget(join(at, name)))),
    list: (path, { followWithin = false } = {}) =>
      soon(() => {
        const asked = { action: "list", path };
        const parts = followWithin ? resolveWithin(root, asked) : pathSegments(asked);
        return withinFolder(root, parts, asked, {}, (at) => entriesAt(at, asked)) ?? [];
      }),
    write: (path, content, options = {}) =>
      soon(() => {
        const asked = { action: "write", path };
        const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
        const pour = (descriptor: number) => copyBytes(descriptor, bytes);
        within(asked, { make: true }, (at, name) => writeFileAt(at, name, pour, options, asked));
      }),
    copyFrom: (source, from, path, options = {}) =>
      soon(() => copyBetween({ root: source.root, path: from }, { root, path }, options)),
    symlink: (path, target) =>
      soon(() => {
        const asked = { action: "make", path };
        within(asked, { make: true }, (at, name) => linkAt(at, name, target, asked));
      }),
    mkdir: (path) =>
      soon(() => {
        const asked = { action: "make", path };
        withinFolder(root, pathSegments(asked), asked, { make: true }, () => undefined);
      }),
    remove: (path) => soon(() => within({ action: "remove", path }, {}, removeAt)),
    removeEmptyParents: (path) => soon(() => removeEmptyAbove(root, path)),
    create: (path, mode, modified) =>
      soon(() => {
        const asked = { action: "write", path };
        return within(asked, { make: true }, (at, name) => createAt(join(at, name), mode, modified, asked))!;
      }),
    takeFrom: (source, from, path) =>
      soon(() => moveBetween({ root: source.root, path: from }, { root, path })),
    rename: (from, to) => soon(() => moveBetween({ root, path: from }, { root, path: to })),
    chmod: (path, mode) =>
      soon(() => {
        const asked = { action: "change", path };
        within(asked, {}, (at, name) => chmodAt(join(at, name), mode, asked));
      }),
  };
  return confined;
}

/** The calls are quick and synchronous, so that nothing of PTH comes in between; they return promises all the same. */
const soon = <T>(work: () => T): Promise<T> => new Promise((resolve) => resolve(work()));

type Work<T> = (at: string, name: string) => T;

interface PlaceOptions {
  make?: boolean;
  followWithin?: boolean;
}

/** Does work on a path's last part, in the folder above it. */
function atPlace<T>(
  root: string,
  asked: PathRequest,
  { make = false, followWithin = false }: PlaceOptions,
  work: Work<T>,
): T | undefined {
  const parts = followWithin ? resolveWithin(root, asked) : pathSegments(asked);
  const name = parts.pop();
  if (name === undefined) throw pathRefused(asked, asked.path || ".", "is the folder itself");
  return withinFolder(root, parts, asked, { make }, (at) => work(at, name));
}

interface Place {
  root: string;
  path: string;
}

function copyBetween(from: Place, to: Place, options: WriteOptions): boolean {
  const asked = { action: "copy", path: from.path };
  const target = { action: "write", path: to.path };
  const copied = atPlace(
    from.root,
    asked,
    {},
    (at, name) =>
      readingFile(join(at, name), asked, (source, { mode }) => {
        const pour = (descriptor: number) => copyStream(source, descriptor);
        const kept = { mode: mode & 0o777, ...options };
        atPlace(
          to.root,
          target,
          { make: true },
          (toFolder, toName) => writeFileAt(toFolder, toName, pour, kept, target),
        );
        return true;
      }),
  );
  return copied === true;
}

function moveBetween(from: Place, to: Place): void {
  atPlace(from.root, { action: "rename", path: from.path }, {}, (at, name) => {
    atPlace(to.root, { action: "write", path: to.path }, { make: true }, (toFolder, toName) => {
      renameSync(join(at, name), join(toFolder, toName));
    });
  });
}

function entriesAt(at: string, asked: PathRequest): ListedEntry[] {
  const entries: ListedEntry[] = [];
  const folder = opendirSync(at);
  try {
    for (let entry = folder.readSync(); entry !== null; entry = folder.readSync()) {
      const kind = entry.isFile() ? "file" : entry.isDirectory() ? "folder" : undefined;
      entries.push({ name: entry.name, kind: kind ?? (entry.isSymbolicLink() ? "link" : "other") });
      if (entries.length > mostEntries) {
        throw pathRefused(asked, asked.path || ".", `holds more than ${mostEntries} files`);
      }
    }
  } finally {
    folder.closeSync();
  }
  return entries.sort((a, b) => a.name < b.name ? -1 : 1);
}

function linkAt(at: string, name: string, target: string, asked: PathRequest): void {
  if (infoOf(join(at, name))?.kind === "folder") throw pathRefused(asked, asked.path, "is a folder");
  const beside = join(at, `.pth-${crypto.randomUUID()}.tmp`);
  symlinkSync(target, beside);
  try {
    renameSync(beside, join(at, name));
  } catch (error) {
    removeAt(at, beside.slice(at.length + 1));
    throw error;
  }
}

function removeEmptyAbove(root: string, path: string): void {
  const parts = pathSegments({ action: "remove", path });
  for (parts.pop(); parts.length > 0; parts.pop()) {
    const asked = { action: "remove", path: parts.join("/") };
    if (atPlace(root, asked, {}, (at, name) => removeEmptyAt(join(at, name))) === false) return;
  }
}

/** By a descriptor where there is one: a path would follow a link that came meanwhile. */
function chmodAt(path: string, mode: number, asked: PathRequest): void {
  if ((mode & 0o7000) !== 0) throw pathRefused(asked, asked.path, "would be setuid, setgid or sticky");
  withOpened(path, (place, info) => {
    if (info.kind !== "file" && info.kind !== "folder") {
      throw pathRefused(asked, asked.path, `is ${kindText(info.kind)}`, { kind: info.kind });
    }
    chmodSync(place, mode);
  });
}
