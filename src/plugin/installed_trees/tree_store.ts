/**
 * Installed trees kept on the host between sessions: archives below `PTH_HOME/installs`, each in a folder named by its
 * key. An entry is written aside and moved into place whole, so that a kill leaves none that is half, and two writers
 * of the same key do not disturb each other. Nothing in an archive is ever unpacked on the host by the store.
 */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { Readable } from "node:stream";
import { errorMessage } from "../../core/errors.ts";
import { isObject, jsonIn } from "../../core/values.ts";
import {
  chmod,
  listFolder,
  mkdir,
  readTextIfExists,
  removeIfExists,
  rename,
  stat,
  writeTextAtomically,
} from "../../platform/files.ts";
import { readEnv, stateDir } from "../../platform/host.ts";
import { log } from "../../platform/log.ts";
import { openOwnFolder } from "../../platform/own_folder.ts";
import { isOwnerAlive, thisProcess } from "../../platform/proc.ts";
import { readStream } from "../../platform/streams.ts";

export interface CachedTree {
  key: string;
  /** The package with its version, or the plugin's name, for people. */
  name: string;
  /** Hashes of requests that it answers where the registry cannot be reached: the newest version counts. */
  families: string[];
  sha256: string;
  bytes: number;
  /** Milliseconds since 1970. */
  madeAt: number;
  usedAt: number;
}

export interface TreeLimits {
  /** Bytes of all archives together; 0 keeps nothing. */
  maxBytes: number;
  /** An older tree is not used: ranges of dependencies may mean newer versions by then. */
  maxAgeMs: number;
}

export interface TreeStore {
  readonly limits: TreeLimits;
  /** The tree of a key, unless it is too old. */
  find(key: string): Promise<CachedTree | undefined>;
  /** The tree that was made last of those that answer a request. */
  newestOf(family: string): Promise<CachedTree | undefined>;
  /**
   * Gives the archive to `take` piece by piece, and then answers whether all of it was what was kept: nothing of it may be
   * used before that. False where it was not, or is gone: such an entry is removed. A tree that is right counts as used.
   * @throws what `take` fails with, where the archive is right
   */
  read(tree: CachedTree, take: (archive: Readable) => Promise<void>, family?: string): Promise<boolean>;
  /** Keeps what `fill` writes at the path that it is given, in the place of an older entry; then removes what exceeds the limits. */
  keep(
    tree: Pick<CachedTree, "key" | "name" | "families">,
    fill: (path: string) => Promise<void>,
  ): Promise<CachedTree | undefined>;
}

/** Largest part of all that one tree may take. */
const largestPart = 1 / 4;

/** Attempts to take a place that other processes take at the same time. */
const mostAttempts = 5;

const megabyte = 1024 * 1024;
const day = 24 * 3600 * 1000;

/** `PTH_INSTALL_CACHE_MB`, else 2048; `PTH_INSTALL_CACHE_DAYS`, else 7. */
export const treeLimits = (): TreeLimits => ({
  maxBytes: numberOf("PTH_INSTALL_CACHE_MB", 2048) * megabyte,
  maxAgeMs: numberOf("PTH_INSTALL_CACHE_DAYS", 7) * day,
});

function numberOf(name: string, fallback: number): number {
  const given = Number(readEnv(name) || fallback);
  return Number.isFinite(given) && given >= 0 ? given : fallback;
}

export const treeFolder = (): string => join(stateDir(), "installs");

const archiveIn = (folder: string): string => join(folder, "tree.tar");
const entryIn = (folder: string): string => join(folder, "entry.json");

/** Name of an entry that is being made or removed, with its process: pid, start time, a number of its own. */
const aside = /^\.(\d+)\.(\d*)\.[0-9a-f-]{36}$/;

const isKey = (name: string): boolean => /^[0-9a-f]{32}$/.test(name);

/** @param now Milliseconds since 1970; tests give a clock of their own. */
export function openTreeStore(
  folder: string = treeFolder(),
  limits: TreeLimits = treeLimits(),
  now: () => number = Date.now,
): TreeStore {
  const isYoung = ({ madeAt }: CachedTree) => now() - madeAt <= limits.maxAgeMs && madeAt <= now() + day;
  return {
    limits,
    async find(key) {
      const tree = await readTree(folder, key);
      return tree !== undefined && isYoung(tree) ? tree : undefined;
    },
    async newestOf(family) {
      const fitting = (await allTrees(folder)).filter((tree) =>
        isYoung(tree) && tree.families.includes(family)
      );
      return fitting.sort((a, b) => b.madeAt - a.madeAt)[0];
    },
    async read(tree, take, family) {
      const place = join(folder, tree.key);
      const path = archiveIn(place);
      const { archive, digest } = hashedStream(path);
      let failure: { error: unknown } | undefined;
      try {
        await take(archive);
      } catch (error) {
        failure = { error };
      } finally {
        archive.destroy();
      }
      // What could not be taken may be an archive that was changed. A missing one is as good as that.
      const found = failure === undefined ? digest() : await hashOf(path).catch(() => undefined);
      if (found !== tree.sha256) {
        await setAside(folder, place);
        return false;
      }
      if (failure !== undefined) throw failure.error;
      const families = family === undefined || tree.families.includes(family)
        ? tree.families
        : [...tree.families, family];
      // Nothing is to be noted of an entry that another process has removed meanwhile.
      const used = { ...tree, families, usedAt: now() };
      await writeEntry(place, used).catch((error) => {
        log.debug("the use of a kept tree is not noted", { tree: tree.name, error: errorMessage(error) });
      });
      return true;
    },
    async keep({ key, name, families }, fill) {
      if (limits.maxBytes === 0) return undefined;
      await openOwnFolder(folder);
      const beside = await asidePath(folder);
      try {
        await mkdir(beside, { mode: 0o700 });
        await fill(archiveIn(beside));
        await chmod(archiveIn(beside), 0o600);
        const bytes = (await stat(archiveIn(beside))).size;
        if (bytes > limits.maxBytes * largestPart) return undefined;
        const sha256 = (await hashOf(archiveIn(beside)))!;
        const tree = { key, name, families, sha256, bytes, madeAt: now(), usedAt: now() };
        await writeEntry(beside, tree);
        await moveInto(folder, beside, join(folder, key));
        await prune(folder, limits, now());
        return tree;
      } finally {
        await removeIfExists(beside);
      }
    },
  };
}

/** Removes the trees that are too old, those used longest ago beyond the limit, and what killed processes left. */
async function prune(folder: string, limits: TreeLimits, now: number): Promise<void> {
  const trees = (await allTrees(folder)).sort((a, b) => b.usedAt - a.usedAt);
  let room = limits.maxBytes;
  for (const { key, bytes, madeAt } of trees) {
    room -= bytes;
    if (room < 0 || now - madeAt > limits.maxAgeMs) await setAside(folder, join(folder, key));
  }
  const known = new Set(trees.map(({ key }) => key));
  for (const { name } of await listFolder(folder)) {
    const isBroken = isKey(name) && !known.has(name) && await readTree(folder, name) === undefined;
    if (isBroken) await removeBroken(folder, name);
    else if (await isAbandoned(name)) await removeIfExists(join(folder, name));
  }
}

/** Removes what is no entry; where another process has made one of it meanwhile, that one gets its place back. */
async function removeBroken(folder: string, key: string): Promise<void> {
  const beside = await asidePath(folder);
  try {
    await rename(join(folder, key), beside);
  } catch {
    return; // another process has removed it
  }
  if (await readEntry(beside, key) !== undefined) await moveInto(folder, beside, join(folder, key));
  await removeIfExists(beside);
}

/** Paths of all that is kept, for `pth clean --cache`; entries that a living process is making are left out. */
export async function cachedInstalls(folder: string = treeFolder()): Promise<string[]> {
  const paths: string[] = [];
  for (const { name } of await listFolder(folder)) {
    if (isKey(name) || await isAbandoned(name)) paths.push(join(folder, name));
  }
  return paths;
}

/** True for what a process was making or removing when it was killed. */
async function isAbandoned(name: string): Promise<boolean> {
  const [, pid, startTime] = aside.exec(name) ?? [];
  return pid !== undefined && !await isOwnerAlive({ pid: Number(pid), ...(startTime ? { startTime } : {}) });
}

async function asidePath(folder: string): Promise<string> {
  const { pid, startTime = "" } = await thisProcess();
  return join(folder, `.${pid}.${startTime}.${crypto.randomUUID()}`);
}

/** Takes an entry out of its place in one step, then removes it; one that is not there is no error. */
async function setAside(folder: string, place: string): Promise<void> {
  const beside = await asidePath(folder);
  try {
    await rename(place, beside);
  } catch {
    return; // nobody has kept it, or another process has taken it out
  }
  await removeIfExists(beside);
}

/** Takes the place of an entry of the same key; where other processes do so at the same time, one of them has it. */
async function moveInto(folder: string, beside: string, place: string): Promise<void> {
  for (let attempt = 1;; attempt++) {
    await setAside(folder, place);
    try {
      return await rename(beside, place);
    } catch (error) {
      if (!["ENOTEMPTY", "EEXIST"].includes((error as { code?: string }).code ?? "")) throw error;
      if (attempt === mostAttempts) return;
    }
  }
}

const writeEntry = (place: string, tree: CachedTree): Promise<void> =>
  // Not where the entry was removed meanwhile: half of one would stay.
  stat(place).then(() => writeTextAtomically(entryIn(place), `${JSON.stringify(tree)}\n`, 0o600));

async function allTrees(folder: string): Promise<CachedTree[]> {
  const keys = (await listFolder(folder)).map(({ name }) => name).filter(isKey);
  return (await Promise.all(keys.map((key) => readTree(folder, key)))).filter((tree) => tree !== undefined);
}

const readTree = (folder: string, key: string): Promise<CachedTree | undefined> =>
  isKey(key) ? readEntry(join(folder, key), key) : Promise.resolve(undefined);

async function readEntry(place: string, key: string): Promise<CachedTree | undefined> {
  const value = jsonIn(await readTextIfExists(entryIn(place)) ?? "");
  return isTree(value) && value.key === key ? value : undefined;
}

const isTree = (value: unknown): value is CachedTree => {
  if (!isObject(value)) return false;
  const { key, name, sha256, families, bytes, madeAt, usedAt } = value;
  return [key, name, sha256].every((text) => typeof text === "string") &&
    [bytes, madeAt, usedAt].every((number) => typeof number === "number") &&
    Array.isArray(families) && families.every((family) => typeof family === "string");
};

/** A file as it is read, and its hash once it was read to its end, else undefined. It is opened by its first reader. */
function hashedStream(path: string): { archive: Readable; digest: () => string | undefined } {
  let found: string | undefined;
  async function* pieces() {
    const hash = createHash("sha256");
    for await (const chunk of readStream(path)) {
      hash.update(chunk as Uint8Array);
      yield chunk as Uint8Array;
    }
    found = hash.digest("hex");
  }
  return { archive: Readable.from(pieces()), digest: () => found };
}

async function hashOf(path: string): Promise<string | undefined> {
  const { archive, digest } = hashedStream(path);
  for await (const _chunk of archive) { /* read to its end */ }
  return digest();
}
