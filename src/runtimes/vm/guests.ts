/**
 * The guests that this process talks to, one kept connection each, whichever instance of the runtime asks. A handle
 * from another process is connected to at its first use.
 */
import type { EnvironmentHandle } from "../../../machines/model/environment.ts";
import { PthError } from "../../errors.ts";
import { readTextFile } from "../../platform/files.ts";
import type { Domain } from "../../platform/libvirt.ts";
import { type Guest, openGuest } from "./guest.ts";
import { hypervisor } from "./hypervisor.ts";
import { machineEnded } from "./machine.ts";
import { consoleOf, stateOf } from "./state.ts";

interface Kept {
  guest: Guest;
  sshPort: number;
}

const kept = new Map<string, Kept>();

/** @throws {PthError} `ENVIRONMENT_LOST` where its key is gone with its image */
export async function guestOf(handle: EnvironmentHandle): Promise<Guest> {
  const known = kept.get(handle.environmentId);
  const { sshPort, user, privateKey: keyFile, hostKey, env } = stateOf(handle);
  if (known?.sshPort === sshPort) return known.guest;
  const privateKey = await readKey(keyFile, handle);
  const raced = kept.get(handle.environmentId);
  if (raced?.sshPort === sshPort) return raced.guest;
  const target = { host: "127.0.0.1", port: sshPort, username: user, privateKey, hostKey };
  const guest = openGuest({
    target: () => target,
    sourcePath: handle.sourcePath,
    env,
    mustLive: () => mustLive(handle),
  });
  kept.set(handle.environmentId, { guest, sshPort });
  await known?.guest.close();
  return guest;
}

export async function closeGuest(environmentId: string): Promise<void> {
  const known = kept.get(environmentId);
  kept.delete(environmentId);
  await known?.guest.close();
}

async function readKey(file: string, { environmentId }: EnvironmentHandle): Promise<string> {
  try {
    return await readTextFile(file);
  } catch (cause) {
    throw new PthError("ENVIRONMENT_LOST", `Cannot reach machine ${environmentId}: its key ${file} is gone`, {
      next: ["Provision a new environment"],
    }, { cause });
  }
}

/** The machine; undefined where it has ended. */
export async function findDomain(handle: EnvironmentHandle): Promise<Domain | undefined> {
  const { uri, domain } = stateOf(handle);
  return await (await hypervisor(uri)).lookup(domain);
}

/** The machine. @throws {PthError} `ENVIRONMENT_LOST` with the console's last lines where it has ended */
export async function requireDomain(handle: EnvironmentHandle): Promise<Domain> {
  const found = await findDomain(handle);
  if (found === undefined) throw await machineEnded(stateOf(handle).domain, consoleOf(stateOf(handle)));
  return found;
}

/** @throws {PthError} `ENVIRONMENT_LOST` where the machine has ended */
export const mustLive = async (handle: EnvironmentHandle): Promise<void> => void await requireDomain(handle);
