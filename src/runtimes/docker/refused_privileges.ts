/**
 * Privileges that an engine has refused. Asking again costs the start of a container each time, so they are remembered, also for
 * later processes: until the engine restarts (its socket is a new one then), for an hour at most.
 */
import { join } from "node:path";
import { errorMessage } from "../../core/errors.ts";
import { readTextIfExists, stat } from "../../platform/files.ts";
import { writeOwnText } from "../../platform/own_folder.ts";
import { stateDir } from "../../platform/host.ts";
import { log } from "../../platform/log.ts";
import { engineAddress } from "./engine.ts";

export interface RefusedPrivilege {
  name: string;
  /** In the engine's words. */
  reason: string;
}

interface Memory {
  /** Address and birth of the engine. */
  engine: string;
  /** In ms. */
  noted: number;
  refused: RefusedPrivilege[];
}

const keptFor = 60 * 60_000;
const own = new Map<string, RefusedPrivilege[]>();
const file = (): string => join(stateDir(), "refused_privileges.json");

/** Privileges that the engine at `DOCKER_HOST`, or the usual socket, has refused. */
export async function refusedBefore(now: number = Date.now()): Promise<RefusedPrivilege[]> {
  const engine = await engineKey();
  if (engine === undefined) return own.get(engineAddress()) ?? [];
  const known = parse(await readTextIfExists(file()).catch(() => undefined)); // unreadable: asked again
  return known?.engine === engine && now - known.noted < keptFor ? known.refused : [];
}

/** Adds what was refused just now. */
export async function recordRefused(refusal: RefusedPrivilege, now: number = Date.now()): Promise<void> {
  const known = (await refusedBefore(now)).filter(({ name }) => name !== refusal.name);
  const refused = [...known, refusal];
  const engine = await engineKey();
  if (engine === undefined) {
    own.set(engineAddress(), refused);
    return;
  }
  try {
    await writeOwnText(file(), JSON.stringify({ engine, noted: now, refused } satisfies Memory));
  } catch (error) {
    log.debug("cannot remember what the engine refused", { error: errorMessage(error) });
  }
}

/** Undefined for an engine that is not reached by a socket here: its restart cannot be noticed. */
async function engineKey(): Promise<string | undefined> {
  const address = engineAddress();
  if (!address.startsWith("unix://")) return undefined;
  try {
    const { ino, mtime } = await stat(address.slice("unix://".length));
    return `${address} ${ino} ${mtime?.getTime()}`;
  } catch {
    return undefined; // the next call of the engine reports why it cannot be reached
  }
}

function parse(text: string | undefined): Memory | undefined {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined; // of another PTH: asked again
  }
}
