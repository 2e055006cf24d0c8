/** Folders where a runtime keeps what its environments need on the host, one per environment. */
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { listFolder, mkdir, readTextIfExists, removeIfExists, rename } from "../../platform/files.ts";
import { processId, stateDir, uid } from "../../platform/host.ts";
import { openOwnFolder, ownershipProblem, writeOwnText } from "../../platform/own_folder.ts";
import { folderProblem } from "../../platform/writable.ts";

/** Written before anything else of an environment is made, so that it is found whatever happens next. */
export interface FolderLabel {
  environmentId: string;
  sessionId: string;
  ownerPid: number;
  /** Things outside the folder that must be removed with it (cgroups). */
  outside: string[];
}

type FolderKind = "boxes" | `hosts${string}` | "vms";

const noteName = "environment.json";
const candidates = (): [string, string] => [stateDir(), join(tmpdir(), `pth-${uid()}`)];

/**
 * Parent of the runtime's folders: under PTH's state folder, or under /tmp where that is not writable.
 * @throws {PthError} `INVALID_CONFIG` where others could have put something there
 */
export async function stateFolder(kind: FolderKind): Promise<string> {
  const [own, fallback] = candidates();
  return await openOwnFolder(await folderProblem(join(own, kind)) === undefined ? own : fallback, kind);
}

interface NotedFolder {
  path: string;
  note: FolderLabel;
}

/** Every folder of the kind with its note; a folder whose note cannot be read is not PTH's to remove. */
export async function labelledFolders(kind: FolderKind): Promise<NotedFolder[]> {
  const found: NotedFolder[] = [];
  for (const top of candidates()) {
    const parent = join(top, kind);
    // What others may have laid there is not removed, and its note not believed.
    if ((await ownershipProblem(top) ?? await ownershipProblem(parent)) !== undefined) continue;
    for (const { name } of await listFolder(parent)) {
      const text = await readTextIfExists(join(parent, name, noteName));
      const note = text === undefined ? noteOfName(name) : JSON.parse(text) as FolderLabel;
      if (note !== undefined) found.push({ path: join(parent, name), note });
    }
  }
  return found;
}

/** Makes the folder, for its owner's eyes only, with its note in it: a process that sees the one sees the other. */
export async function makeLabelledFolder(path: string, note: FolderLabel): Promise<void> {
  const draft = `${path}${draftMark}${note.ownerPid}`;
  try {
    await mkdir(draft, { recursive: true, mode: 0o700 });
    await writeFolderLabel(draft, note);
    await rename(draft, path);
  } catch (error) {
    await removeIfExists(draft); // on a full disk the folder can be made, and not its note
    throw error;
  }
}

/** Replaces the note of a folder that is there. */
export const writeFolderLabel = (path: string, note: FolderLabel): Promise<void> =>
  writeOwnText(join(path, noteName), JSON.stringify(note));

const draftMark = ".draft-";
const leavingMark = ".leaving-";

/** Name of a folder that is being removed, its note perhaps first: it says whose it is. */
export const leavingName = (path: string): string => `${path}${leavingMark}${processId}`;

/** True for a folder that is being removed, or was when its PTH was killed. */
export const isLeaving = (path: string): boolean => basename(path).includes(leavingMark);

/** A maker that was killed before it could write the note has left its pid in the name, and so has who removes a folder. */
function noteOfName(name: string): FolderLabel | undefined {
  const [environmentId, ownerPid] = name.split(name.includes(leavingMark) ? leavingMark : draftMark);
  if (!environmentId || !ownerPid || !/^\d+$/.test(ownerPid)) return undefined;
  return { environmentId, sessionId: draftSession, ownerPid: Number(ownerPid), outside: [] };
}

/** Stands for the session in the note of a folder that never got one. */
export const draftSession = "none";
