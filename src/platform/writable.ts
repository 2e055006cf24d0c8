/** Whether a file could be written, found out without writing it. */
import { constants, existsSync, mkdirSync, rmdirSync } from "node:fs";
import { access, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";

/** The reason why a file cannot be written at `path` (missing parents would be made), or undefined when it can. */
export async function writableProblem(path: string): Promise<string | undefined> {
  const target = resolve(path);
  const kind = await kindOf(target);
  if (kind === "folder") return "it is a folder";
  return kind === "file" ? await accessProblem(target) : await folderProblem(dirname(target));
}

/** The reason why files cannot be made in the folder `path` (it and its parents would be made), or undefined. */
export async function folderProblem(path: string): Promise<string | undefined> {
  let folder = resolve(path);
  for (;;) {
    const kind = await kindOf(folder);
    if (kind === "folder") return await accessProblem(folder);
    if (kind === "file") return `${folder} is no folder`;
    folder = dirname(folder);
  }
}

const errorCode = (error: unknown): string => (error as { code?: string }).code ?? String(error);

/** "nothing" also where a parent is a file: going up finds it. */
async function kindOf(path: string): Promise<"file" | "folder" | "nothing"> {
  try {
    return (await stat(path)).isDirectory() ? "folder" : "file";
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "EACCES"].includes(errorCode(error))) return "nothing";
    throw error;
  }
}

async function accessProblem(path: string): Promise<string | undefined> {
  try {
    await access(path, constants.W_OK);
    return undefined;
  } catch (error) {
    return `${path} is not writable (${errorCode(error)})`;
  }
}

/**
 * True when this process can make folders in a folder that exists; makes one and removes it. Asking is not enough: `access`
 * reads the mode bits on Deno, and root may write where they say no.
 * @param holding A file that the new folder must come with, as control groups do.
 */
export function canMakeFolderIn(path: string, holding?: string): boolean {
  const probe = join(path, `pth-probe-${crypto.randomUUID()}`);
  try {
    mkdirSync(probe);
    const right = holding === undefined || existsSync(join(probe, holding));
    rmdirSync(probe);
    return right;
  } catch {
    return false; // absent or closed: either way no
  }
}
