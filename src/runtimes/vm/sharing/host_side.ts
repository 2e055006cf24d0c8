/** The host's folder of a synchronized source: listed, packed, and written to without believing the guest. */
import { dirname, join } from "node:path";
import { PassThrough, type Readable } from "node:stream";
import {
  chmod,
  isNotFound,
  lstat,
  mkdir,
  remove,
  removeIfExists,
  rename,
  stat,
} from "../../../platform/files.ts";
import { collect, run, spawnProcess } from "../../../platform/process.ts";
import { unpackInto } from "../../shared/unpack.ts";
import { listCommand, listed, type Listing, ownFolders } from "./listing.ts";

export async function listHost(folder: string, apart: readonly string[]): Promise<Listing> {
  return listed(await run(listCommand(apart), { cwd: folder, maxBytes: 256 * 1024 * 1024 }), folder);
}

/** Packs the paths, and nothing below them, as root's; what vanished meanwhile is left out. */
export const packArguments: readonly string[] = [
  "-c",
  "--format=pax",
  "--pax-option=delete=atime,delete=ctime",
  "--no-recursion",
  "--ignore-failed-read",
  "--owner=0",
  "--group=0",
  "--numeric-owner",
  "--null",
  "-T",
  "-",
];

/** Paths as `tar -T` and `xargs -0` read them; none is taken for an option. */
export const nulls = (paths: readonly string[]): string => paths.map((path) => `./${path}\0`).join("");

export async function packHost(folder: string, paths: readonly string[]): Promise<Readable> {
  const child = await spawnProcess(["tar", ...packArguments], { cwd: folder });
  collect(child.stderr); // read, so that it never waits
  child.stdin.end(nulls(paths));
  return child.stdout.pipe(new PassThrough()); // Node drops what nobody reads of a process that ended
}

/** Folders of the host's that each machine has its own of, found where Cargo would put them. */
export const ownPaths = (listing: Listing): string[] =>
  [...listing.keys()].filter((path) => path === "Cargo.toml" || path.endsWith("/Cargo.toml"))
    .map((path) => join(dirname(path), "target"));

/** Installed folders that the source brought along, wherever they lie. */
export async function broughtAlong(folder: string): Promise<string[]> {
  const names = ownFolders.flatMap((name) => ["-name", name, "-o"]).slice(0, -1);
  const { stdout } = await run([
    "find",
    ".",
    "-xdev",
    "-type",
    "d",
    "(",
    ...names,
    ")",
    "-prune",
    "-printf",
    "%P\\0",
  ], {
    cwd: folder,
  });
  return stdout.split("\0").filter((path) => path !== "");
}

/** Removes paths; one that leads through a link is not in the folder, and stays. */
export async function removeOnHost(folder: string, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    if (await parentsAreFolders(folder, path, false)) await removeIfExists(join(folder, path));
  }
}

/** Puts what the archive holds of these paths into the folder, parents first; through no link, neither here nor there. */
export async function unpackOnHost(
  folder: string,
  paths: readonly string[],
  archive: NodeJS.ReadableStream,
): Promise<void> {
  const beside = join(dirname(folder), `.pth-sync-${crypto.randomUUID()}`);
  await mkdir(beside, { mode: 0o700 });
  try {
    await unpackInto(archive, beside);
    for (const path of paths) {
      if (await parentsAreFolders(beside, path, false)) await put(beside, folder, path);
    }
  } finally {
    await removeIfExists(beside);
  }
}

async function put(from: string, to: string, path: string): Promise<void> {
  const [source, target] = [join(from, path), join(to, path)];
  const brought = await kindOf(source);
  if (brought === undefined) return; // it vanished before it was packed
  if (!await parentsAreFolders(to, path, true)) return;
  const there = await kindOf(target);
  if (brought === "folder") {
    if (there !== undefined && there !== "folder") await remove(target);
    if (there !== "folder") await mkdir(target);
    return await chmod(target, ((await stat(source)).mode ?? 0o755) & 0o777);
  }
  if (brought === "file") await dropSetId(source);
  if (there === "folder") await remove(target, { recursive: true });
  await rename(source, target);
}

/** A guest's root gives nobody the rights of the host's. */
async function dropSetId(path: string): Promise<void> {
  const mode = (await stat(path)).mode ?? 0;
  if ((mode & 0o7000) !== 0) await chmod(path, mode & 0o777);
}

async function kindOf(path: string): Promise<"folder" | "file" | "link" | undefined> {
  try {
    const info = await lstat(path);
    return info.isSymlink ? "link" : info.isDirectory ? "folder" : info.isFile ? "file" : undefined;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** Whether all folders above the path, within the root, are folders and no links; missing ones are made if wanted. */
async function parentsAreFolders(root: string, path: string, make: boolean): Promise<boolean> {
  const parts = path.split("/").slice(0, -1);
  for (let depth = 1; depth <= parts.length; depth++) {
    const parent = join(root, ...parts.slice(0, depth));
    const kind = await kindOf(parent);
    if (kind === undefined && make) await mkdir(parent);
    else if (kind !== "folder") return false;
  }
  return true;
}
