/** What a folder takes. */
import { join } from "node:path";
import { readDir, stat } from "../../src/platform/files.ts";

/** Bytes of all files in a folder and those below it. */
export async function folderBytes(folder: string): Promise<number> {
  let bytes = 0;
  for await (const { name, isDirectory, isFile } of readDir(folder)) {
    const path = join(folder, name);
    if (isDirectory) bytes += await folderBytes(path);
    else if (isFile) bytes += (await stat(path)).size;
  }
  return bytes;
}
