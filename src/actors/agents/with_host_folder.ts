/** Makes a folder of files on the host for some work, such as a copy into an environment, and removes it. */
import { dirname, join } from "node:path";
import { makeTempDir, mkdir, removeIfExists, writeTextFile } from "../../platform/files.ts";

/** @param files Texts by their paths, which stay within the folder */
export async function withHostFolder<T>(
  files: Readonly<Record<string, string>>,
  work: (folder: string) => Promise<T>,
): Promise<T> {
  const folder = await makeTempDir({ prefix: "pth-agent-" });
  try {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeTextFile(join(folder, path), text);
    }
    return await work(folder);
  } finally {
    await removeIfExists(folder);
  }
}
