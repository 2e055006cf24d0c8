/**
 * Unpacks what comes out of an environment onto the host: bounded, and through no link, neither the archive's nor one
 * that is there.
 */
import { basename, dirname, join, posix } from "node:path";
import { type Readable, Transform, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import tar, { type Headers } from "tar-stream";
import {
  type ConfinedFolder,
  type ListedEntry,
  openConfined,
} from "../../platform/confined/open_confined.ts";
import { mkdir, pathExists, realPath } from "../../platform/files.ts";
import { copyError, copyFailed, copyMeter, type CopyOrder, notCopied, stalled } from "./copy_limits.ts";
import { PthError } from "../../core/errors.ts";

export interface UnpackOrder extends CopyOrder {
  /** The archive is of what the folder holds, not of the one file or folder itself. */
  contents?: boolean;
}

/**
 * The one file or folder of an archive; a folder's contents join what the target holds. Where it fails, nothing of it stays.
 * @throws {PthError} `COPY_FAILED` with the limit or the entry that is the reason, `DISK_FULL`
 */
export const unpackTo = (
  archive: NodeJS.ReadableStream,
  hostPath: string,
  order: UnpackOrder,
): Promise<void> => besideOf(hostPath, order, (files) => unpackTree(archive, files, order));

/** One file, from its bytes. @throws {PthError} as `unpackTo` */
export const saveTo = (bytes: NodeJS.ReadableStream, hostPath: string, mode: number, order: CopyOrder) =>
  besideOf(hostPath, order, async (files) => {
    const meter = copyMeter(order);
    const { stream, progress } = guardedStream(order);
    const sink = await files.create(top, mode & 0o777);
    try {
      const write = (chunk: Uint8Array) => {
        progress();
        meter.addBytes(chunk.byteLength);
        sink.write(chunk);
      };
      await pipeline(bytes, stream, writableOf(write));
    } finally {
      sink.close();
    }
  });

/** Makes a stream of a function; what it throws fails the stream. */
const writableOf = (write: (chunk: Uint8Array) => void): Writable =>
  new Writable({
    write(chunk: Uint8Array, _encoding, done) {
      try {
        write(chunk);
        done();
      } catch (error) {
        done(error as Error);
      }
    },
  });

/** Name of what is copied, whatever its name is inside. */
const top = "copy";

/** Does the work in a new folder next to the target, and moves the result into place. */
async function besideOf(
  hostPath: string,
  { action }: CopyOrder,
  work: (files: ConfinedFolder) => Promise<void>,
): Promise<void> {
  const parent = dirname(hostPath);
  const beside = `.pth-copy-${crypto.randomUUID()}`;
  const around = openConfined(parent);
  try {
    await mkdir(parent, { recursive: true });
    await mkdir(join(parent, beside), { mode: 0o700 });
    await work(openConfined(join(parent, beside)));
    await moveInto(openConfined(join(parent, beside)), hostPath);
  } catch (error) {
    throw copyError(action, error);
  } finally {
    await around.remove(beside);
  }
}

async function unpackTree(
  archive: NodeJS.ReadableStream,
  files: ConfinedFolder,
  order: UnpackOrder,
): Promise<void> {
  const { action } = order;
  const meter = copyMeter(order);
  const { stream, progress } = guardedStream(order);
  const links = new Map<string, string>();
  const folders = new Map<string, number>();
  const place = async (header: Headers, content: Readable) => {
    const path = pathOf(header.name, order);
    meter.addEntry(path.split("/").length);
    const mode = (header.mode ?? 0o644) & 0o777;
    const type = header.type ?? "file";
    if (type === "directory") {
      await files.mkdir(path);
      folders.set(path, mode);
    } else if (type === "file" || type === "contiguous-file") {
      meter.addBytes(header.size ?? 0);
      await writeFile(files, path, mode, header.mtime, content, progress);
    } else if (type === "link") {
      const source = pathOf(header.linkname ?? "", order);
      meter.addBytes((await files.stat(source))?.size ?? 0);
      if (!await files.copyFrom(files, source, path)) {
        throw copyFailed(action, `${header.name} is a hard link to what is not copied`);
      }
    } else if (type === "symlink") links.set(path, header.linkname ?? "");
    else throw notCopied(action, header.name, type.replace("-", " "));
  };
  const extract = tar.extract();
  extract.on("entry", (header, content, next) => {
    progress();
    let ended = false;
    content.on("end", () => ended = true);
    place(header, content).then(() => {
      // What has ended already does not say so again.
      if (ended) return next();
      content.on("end", next);
      content.resume();
    }, (error: Error) => extract.destroy(error));
  });
  await pipeline(archive, stream, extract);
  await makeLinks(files, links, order);
  // Last, so that a folder without write permission can be filled; deepest first.
  for (const [path, mode] of [...folders].sort(([a], [b]) => a < b ? 1 : -1)) {
    await files.chmod(path, mode | 0o700);
  }
}

/**
 * Finds the place of an entry, below the temporary folder. The archive's own name for what was asked for does
 * not count.
 */
function pathOf(name: string, { action, contents = false }: UnpackOrder): string {
  const parts = name.split("/").filter((part) => part !== "" && part !== ".");
  if (parts.includes("..")) throw copyFailed(action, `its archive names ${name}, which leads out of it`);
  return posix.join(top, ...(contents ? parts : parts.slice(1)));
}

async function writeFile(
  files: ConfinedFolder,
  path: string,
  mode: number,
  modified: Date | undefined,
  content: Readable,
  progress: () => void,
): Promise<void> {
  // An archive may name a file twice: the last one counts.
  await files.remove(path);
  const sink = await files.create(path, mode, modified);
  try {
    await new Promise<void>((resolve, reject) => {
      // Not by iteration: that ends the whole archive with the first file.
      content.on("data", (chunk: Uint8Array) => {
        try {
          progress();
          sink.write(chunk);
        } catch (error) {
          reject(error);
        }
      });
      content.on("end", resolve);
      content.on("error", reject);
    });
  } finally {
    sink.close();
  }
}

/** Links come last, so that nothing is written through them; where each leads is known only when all are there. */
async function makeLinks(
  files: ConfinedFolder,
  links: ReadonlyMap<string, string>,
  { action, keepLinks = false }: UnpackOrder,
): Promise<void> {
  for (const [path, target] of links) await files.symlink(path, target);
  if (keepLinks) return;
  const copied = openConfined(join(files.root, top));
  for (const [path, target] of links) {
    const within = path.slice(top.length + 1);
    try {
      if (within !== "") await copied.stat(within, { followWithin: true });
      if (within !== "") continue;
    } catch (error) {
      if (!(error instanceof PthError) || error.code !== "PATH_REFUSED") throw error;
    }
    throw copyFailed(
      action,
      within === "" ? `it is a link to ${target}` : `${within} is a link to ${target}, out of what is copied`,
      [within === "" ? "Name the file that it leads to" : "Copy links as they are: keepLinks: true"],
    );
  }
}

/** A file replaces what is there; a folder's contents join those of a folder. Nothing is moved where something is in the way. */
async function moveInto(beside: ConfinedFolder, hostPath: string): Promise<void> {
  const joins = (await beside.stat(top))?.kind === "folder" && await pathExists(hostPath);
  const target = joins ? await realPath(hostPath) : hostPath;
  const parent = openConfined(dirname(target));
  if (!joins) return await moveOne(beside, top, parent, basename(target));
  const all = await treeOf(beside, top);
  const goal = (path: string) => posix.join(basename(target), path.slice(top.length + 1));
  for (const { path, kind } of all) {
    const there = (await parent.stat(goal(path)))?.kind;
    if (there !== undefined && (there === "folder") !== (kind === "folder")) {
      throw new Error(`${goal(path)} is ${there === "folder" ? "a folder" : "no folder"} at the target`);
    }
  }
  for (const { path, kind } of all) {
    if (kind === "folder") await parent.mkdir(goal(path));
    else await moveOne(beside, path, parent, goal(path));
  }
}

const moveOne = (from: ConfinedFolder, path: string, to: ConfinedFolder, goal: string): Promise<void> =>
  to.takeFrom(from, path, goal);

async function treeOf(
  files: ConfinedFolder,
  folder: string,
): Promise<{ path: string; kind: ListedEntry["kind"] }[]> {
  const found: { path: string; kind: ListedEntry["kind"] }[] = [];
  for (const { name, kind } of await files.list(folder)) {
    const path = `${folder}/${name}`;
    found.push({ path, kind });
    if (kind === "folder") found.push(...await treeOf(files, path));
  }
  return found;
}

/** Bytes between two files of an archive: names and attributes of one file, which are kept in memory. */
const longestHeader = 4 * 1024 * 1024;

interface GuardedStream {
  stream: Transform;
  /** To be called whenever a file begins or goes on. */
  progress(): void;
}

/**
 * Makes a stream that fails with `COPY_FAILED` where nothing comes for a minute, an archive is all headers,
 * or the signal fires.
 */
export function guardedStream(
  { action, signal }: Pick<CopyOrder, "action" | "signal">,
  quietMs = stalled,
): GuardedStream {
  let since = 0;
  const cancel = () => void stream.destroy(copyFailed(action, "it was cancelled"));
  const quiet = () => {
    stream.destroy(
      copyFailed(action, `nothing came for ${Math.round(quietMs / 1000)} s`, [
        "See whether it is a fifo, or still written to",
      ]),
    );
  };
  let timer = setTimeout(quiet, quietMs);
  const stream = new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      clearTimeout(timer);
      timer = setTimeout(quiet, quietMs);
      since += chunk.byteLength;
      if (since <= longestHeader) return done(null, chunk);
      done(copyFailed(action, "its archive has headers of more than 4 MB"));
    },
    destroy(error, done) {
      clearTimeout(timer);
      signal?.removeEventListener("abort", cancel);
      done(error);
    },
    flush(done) {
      clearTimeout(timer);
      done();
    },
  });
  signal?.addEventListener("abort", cancel, { once: true });
  if (signal?.aborted) cancel();
  return { stream, progress: () => since = 0 };
}
