/** Folders where a runtime keeps what its environments need on the host, one per environment. */
import { tmpdir } from "node:os";
import { join } from "node:path";
import { exists, mkdir, readDir, readTextIfExists, writeTextAtomically } from "../../platform/files.ts";
import { stateDir, uid } from "../../platform/host.ts";
import { folderProblem } from "../../platform/writable.ts";

/** Written before anything else of an environment is made, so that it is found whatever happens next. */
export interface FolderNote {
  environmentId: string;
  sessionId: string;
  ownerPid: number;
  /** What lies outside the folder and must go with it (cgroups). */
  outside: string[];
}

const noteName = "environment.json";
const candidates = (kind: string): string[] => [
  join(stateDir(), kind),
  join(tmpdir(), `pth-${uid()}`, kind),
];

/** Parent of the runtime's folders: under PTH's state folder, or under /tmp where that is not writable. */
export async function stateFolder(kind: "boxes" | "hosts"): Promise<string> {
  const [own, fallback] = candidates(kind) as [string, string];
  return await folderProblem(own) === undefined ? own : fallback;
}

/** Every folder of the kind with its note; a folder whose note cannot be read is not PTH's to remove. */
export async function notedFolders(kind: "boxes" | "hosts"): Promise<{ path: string; note: FolderNote }[]> {
  const found: { path: string; note: FolderNote }[] = [];
  for (const parent of candidates(kind)) {
    if (!(await exists(parent))) continue;
    for await (const entry of readDir(parent)) {
      const text = await readTextIfExists(join(parent, entry.name, noteName));
      if (text !== undefined) found.push({ path: join(parent, entry.name), note: JSON.parse(text) });
    }
  }
  return found;
}

/** Makes the folder, for its owner's eyes only, and writes its note. */
export async function makeNotedFolder(path: string, note: FolderNote): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  await writeTextAtomically(join(path, noteName), JSON.stringify(note));
}
