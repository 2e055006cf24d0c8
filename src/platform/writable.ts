/** Whether a file could be written, found out without writing it. */
import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";

/** The reason why a file cannot be written at `path` (missing parents would be made), or undefined when it can. */
export async function whyNotWritable(path: string): Promise<string | undefined> {
  const target = resolve(path);
  const info = await stat(target).catch(() => undefined);
  if (info?.isDirectory()) return "it is a folder";
  if (info !== undefined) return await accessProblem(target);
  return await folderProblem(dirname(target));
}

/** The reason why files cannot be made in the folder `path` (it and its parents would be made), or undefined. */
export async function folderProblem(path: string): Promise<string | undefined> {
  let folder = resolve(path);
  for (;;) {
    const info = await stat(folder).catch(() => undefined);
    if (info?.isDirectory()) return await accessProblem(folder);
    if (info !== undefined) return `${folder} is no folder`;
    folder = dirname(folder);
  }
}

async function accessProblem(path: string): Promise<string | undefined> {
  try {
    await access(path, constants.W_OK);
    return undefined;
  } catch (error) {
    return `${path} is not writable (${(error as { code?: string }).code ?? String(error)})`;
  }
}
