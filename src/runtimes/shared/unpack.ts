/** What comes out of an environment as a tar stream, onto the host: never through a link that the archive brought. */
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { exists, lstat, mkdir, readDir, removeIfExists, rename } from "../../platform/files.ts";
import { collect, run, spawnProcess } from "../../platform/process.ts";

/** The one file or folder of an archive; a folder's contents join what the target holds. Throws plain errors. */
export async function unpackTo(archive: NodeJS.ReadableStream, hostPath: string): Promise<void> {
  const beside = join(dirname(hostPath), `.pth-copy-${crypto.randomUUID()}`);
  try {
    await mkdir(beside, { recursive: true });
    await unpackInto(archive, beside);
    await moveInto(beside, hostPath);
  } finally {
    await removeIfExists(beside);
  }
}

/** By the host's tar, into an empty folder. */
export async function unpackInto(archive: NodeJS.ReadableStream, folder: string): Promise<void> {
  // -i: reads what comes to its end. It would stop at the archive's end mark, and the padding after that found no reader.
  const child = await spawnProcess(["tar", "-x", "-i", "--no-same-owner", "-C", folder]);
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
