/**
 * The register of sessions: one file per session, one JSON line per thing, written before the thing is made.
 *
 * `pth clean` works from it: what a killed session left is what its register says it was about to create.
 */
import { join } from "node:path";
import { errorMessage, PthError } from "../core/errors.ts";
import { appendDurably } from "../platform/append_durably.ts";
import { listFolder, readTextIfExists, removeIfExists, rename } from "../platform/files.ts";
import { stateDir, uid } from "../platform/host.ts";
import { openOwnFolder, ownershipProblem } from "../platform/own_folder.ts";
import { isOwnerAlive, type Owner, thisProcess } from "../platform/proc.ts";

/** A thing that a session makes; more facts may say how to remove it. Never put a secret in. */
export interface RegisterEntry {
  /** "worktree", "branch", "lock", "scratch", "environment" … */
  kind: string;
  /** Path, id or branch name; with `kind` it names the thing. */
  name: string;
  [fact: string]: unknown;
}

export interface SessionRegister {
  readonly sessionId: string;
  readonly path: string;
  /** Resolves once the line is on the disk: call it before creating the thing. */
  willCreate(entry: RegisterEntry): Promise<void>;
  created(entry: Pick<RegisterEntry, "kind" | "name">): Promise<void>;
  removed(entry: Pick<RegisterEntry, "kind" | "name">): Promise<void>;
  /** Forgets the session. With `kept`, what is left was left on purpose: `pth clean` removes it only with `--all`. */
  close(options?: { kept?: boolean }): Promise<void>;
}

export interface RegisteredSession {
  sessionId: string;
  path: string;
  owner: Owner;
  alive: boolean;
  /** Left on purpose (`--keep`). */
  kept: boolean;
  /** Entries that it was about to create and has not removed, in order. */
  entries: RegisterEntry[];
}

type Line =
  | ({ event: "opened"; sessionId: string; at: string } & Owner)
  | { event: "will_create" | "created" | "removed"; entry: RegisterEntry }
  | { event: "kept" };

/** @throws {PthError} `INTERNAL` when neither the state folder nor the temporary one can be written */
export async function openRegister(sessionId: string): Promise<SessionRegister> {
  const owner = await thisProcess();
  const opened: Line = { event: "opened", sessionId, at: new Date().toISOString(), ...owner };
  const path = await beginFile(sessionId, JSON.stringify(opened) + "\n", owner);
  const append = (line: Line) => appendDurably(path, JSON.stringify(line) + "\n");
  return {
    sessionId,
    path,
    willCreate: (entry) => append({ event: "will_create", entry }),
    created: (entry) => append({ event: "created", entry }),
    removed: (entry) => append({ event: "removed", entry }),
    close: (options) => (options?.kept ? append({ event: "kept" }) : removeIfExists(path)),
  };
}

/** All sessions that this user's registers know, the dead ones too. */
export async function listSessions(): Promise<RegisteredSession[]> {
  const sessions: RegisteredSession[] = [];
  for (const folder of await trustedFolders()) {
    for (const { name } of await listFolder(folder)) {
      const session = name.endsWith(".jsonl") ? await readSession(join(folder, name)) : undefined;
      if (session) sessions.push(session);
    }
  }
  return sessions.sort((a, b) => a.sessionId.localeCompare(b.sessionId));
}

/** Registers that processes had begun and that are gone: a kill came before the first line, so nothing was made yet. */
export async function abandonedDrafts(): Promise<string[]> {
  const found: string[] = [];
  for (const folder of await trustedFolders()) {
    for (const { name } of await listFolder(folder)) {
      const [, processId, startTime] = draftName.exec(name) ?? [];
      if (processId === undefined) continue;
      const owner: Owner = { pid: Number(processId), ...(startTime ? { startTime } : {}) };
      if (!await isOwnerAlive(owner)) found.push(join(folder, name));
    }
  }
  return found;
}

/** Strikes a thing off the register of a session that is dead. */
export const appendRemoved = (
  session: RegisteredSession,
  { kind, name }: Pick<RegisterEntry, "kind" | "name">,
): Promise<void> =>
  appendDurably(session.path, JSON.stringify({ event: "removed", entry: { kind, name } }) + "\n");

/** Forgets a dead session. */
export const removeRegister = (session: RegisteredSession): Promise<void> => removeIfExists(session.path);

async function readSession(path: string): Promise<RegisteredSession | undefined> {
  const lines = parseLines(await readTextIfExists(path) ?? "");
  const opened = lines.find((line) => line.event === "opened");
  if (opened === undefined) return undefined;
  const owner: Owner = { pid: opened.pid, ...(opened.startTime ? { startTime: opened.startTime } : {}) };
  const kept = lines.some((line) => line.event === "kept");
  return {
    sessionId: opened.sessionId,
    path,
    owner,
    kept,
    alive: await isOwnerAlive(owner),
    entries: left(lines),
  };
}

function left(lines: Line[]): RegisterEntry[] {
  const entries = new Map<string, RegisterEntry>();
  for (const line of lines) {
    if (line.event !== "will_create" && line.event !== "removed") continue;
    const key = `${line.entry.kind}\0${line.entry.name}`;
    if (line.event === "removed") entries.delete(key);
    else entries.set(key, line.entry);
  }
  return [...entries.values()];
}

/** A kill may have cut the last line short: what was to be made then was not made. */
function parseLines(text: string): Line[] {
  return text.split("\n").flatMap((line) => {
    try {
      return line === "" ? [] : [JSON.parse(line) as Line];
    } catch (error) {
      if (error instanceof SyntaxError) return [];
      throw error;
    }
  });
}

const folderName = "sessions";
const candidateFolders = (): string[] => [stateDir(), `/tmp/pth-${uid()}`];

/** Lists folders of registers that only this user can have written: `pth clean` removes what a register names. */
async function trustedFolders(): Promise<string[]> {
  const trusted: string[] = [];
  for (const top of candidateFolders()) {
    const folder = join(top, folderName);
    if ((await ownershipProblem(top) ?? await ownershipProblem(folder)) === undefined) trusted.push(folder);
  }
  return trusted;
}

/** A register without its first line says not whose it is: until it has that, its name does. */
const draftOf = (sessionId: string, { pid, startTime = "" }: Owner): string =>
  `${sessionId}.${pid}.${startTime}.draft`;
const draftName = /\.(\d+)\.(\d*)\.draft$/;

/** Starts the file, with its first line in it, in the first folder that can be written. */
async function beginFile(sessionId: string, text: string, owner: Owner): Promise<string> {
  const tried: string[] = [];
  for (const folder of candidateFolders()) {
    try {
      return await beginIn(await openOwnFolder(folder, folderName), sessionId, text, owner);
    } catch (error) {
      // One that others can write to is no matter of rights: it has to be looked at.
      if (error instanceof PthError) throw error;
      tried.push(`${folder}: ${errorMessage(error)}`);
    }
  }
  throw new PthError("INTERNAL", "Cannot keep a register of the session: no folder can be written", {
    tried,
    next: ["Set PTH_HOME to a folder that can be written"],
  });
}

async function beginIn(folder: string, sessionId: string, text: string, owner: Owner): Promise<string> {
  const draft = join(folder, draftOf(sessionId, owner));
  const path = join(folder, `${sessionId}.jsonl`);
  try {
    await appendDurably(draft, text);
    await rename(draft, path);
    return path;
  } catch (error) {
    await removeIfExists(draft);
    throw error;
  }
}
