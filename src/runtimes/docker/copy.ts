/** Files and folders in and out of a container, as tar streams through the engine. */
import { basename, dirname, join, posix } from "node:path";
import { pipeline } from "node:stream/promises";
import tar from "tar-fs";
import { PthError } from "../../errors.ts";
import { exists, lstat, mkdir, readDir, removeIfExists, rename, stat } from "../../platform/files.ts";
import { collect, run, spawnProcess } from "../../platform/process.ts";
import { type Engine, engineError } from "./engine.ts";
import { execInside, type Inside } from "./exec.ts";

/** A file or a folder's contents, owned by root inside; missing parents are made. @throws {PthError} `COPY_FAILED` */
export async function copyInto(inside: Inside, hostPath: string, envPath: string): Promise<void> {
  const action = `Cannot copy ${hostPath} to ${envPath}`;
  const info = await stat(hostPath).catch((cause) => {
    throw new PthError("COPY_FAILED", `${action}: it cannot be read on the host (${cause.message})`, {}, {
      cause,
    });
  });
  const folder = info.isDirectory ? envPath : posix.dirname(envPath);
  const made = await execInside(inside, ["mkdir", "-p", "--", folder], { cwd: "/" });
  if (made.code !== 0) throw new PthError("COPY_FAILED", `${action}: ${made.stderr.trim()}`);
  try {
    const stream = info.isDirectory ? packFolder(hostPath) : packFile(hostPath, posix.basename(envPath));
    await inside.engine.getContainer(inside.containerId).putArchive(stream, { path: folder });
  } catch (error) {
    throw copyError(error, action);
  }
}

const ownedByRoot = (header: tar.Headers): tar.Headers => Object.assign(header, { uid: 0, gid: 0 });

const packFolder = (path: string) => tar.pack(path, { map: ownedByRoot });

const packFile = (path: string, name: string) =>
  tar.pack(dirname(path), {
    entries: [basename(path)],
    dereference: true,
    map: (header) => Object.assign(ownedByRoot(header), { name }),
  });

/** A file into a container that does not run yet. */
export async function putFile(
  engine: Engine,
  containerId: string,
  hostPath: string,
  envPath: string,
): Promise<void> {
  const stream = packFile(hostPath, posix.relative("/", envPath));
  await engine.getContainer(containerId).putArchive(stream, { path: "/" });
}

/** A file, or a folder whose contents join what the target holds. @throws {PthError} `COPY_FAILED` */
export async function copyOutOf(inside: Inside, envPath: string, hostPath: string): Promise<void> {
  const action = `Cannot copy ${envPath} to ${hostPath}`;
  const beside = join(dirname(hostPath), `.pth-copy-${crypto.randomUUID()}`);
  try {
    const archive = await inside.engine.getContainer(inside.containerId).getArchive({ path: envPath });
    await mkdir(beside, { recursive: true });
    await unpack(archive, beside);
    await moveInto(beside, hostPath);
  } catch (error) {
    throw copyError(error, action);
  } finally {
    await removeIfExists(beside);
  }
}

/** By the host's tar, which never writes through a link that the archive brought. */
async function unpack(archive: NodeJS.ReadableStream, folder: string): Promise<void> {
  const child = await spawnProcess(["tar", "-x", "--no-same-owner", "-C", folder]);
  const complaints = collect(child.stderr);
  child.stdout.resume();
  await pipeline(archive, child.stdin);
  const { code } = await child.exited;
  if (code !== 0) throw new Error(`tar ended with ${code}: ${complaints.text().trim()}`);
}

async function moveInto(folder: string, hostPath: string): Promise<void> {
  for await (const { name } of readDir(folder)) {
    const from = join(folder, name);
    const merges = (await lstat(from)).isDirectory && await exists(hostPath);
    if (!merges) return await rename(from, hostPath);
    const { code, stderr } = await run(["cp", "-a", "--", `${from}/.`, hostPath]);
    if (code !== 0) throw new Error(stderr.trim());
    return;
  }
}

/** A missing path is the copy's failure; a missing container is not. */
function copyError(error: unknown, action: string): unknown {
  const known = engineError(error, action, "COPY_FAILED");
  return known instanceof PthError && known.code === "IMAGE_MISSING"
    ? new PthError("COPY_FAILED", known.message, known.context)
    : known;
}
