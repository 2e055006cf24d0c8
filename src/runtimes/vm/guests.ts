/**
 * The guests that this process talks to, one kept connection each, whichever instance of the runtime asks. A handle
 * from another process is connected to at its first use.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { EnvironmentHandle } from "../../../machines/model/environment.ts";
import { PthError } from "../../core/errors.ts";
import { readTextFile } from "../../platform/files.ts";
import type { Domain, DomainState } from "../../platform/libvirt.ts";
import type { SshTarget } from "../../platform/ssh.ts";
import { agentPortIn } from "./domain_xml.ts";
import { type Guest, openGuest } from "./guest.ts";
import type { AgentPort } from "./waiting_agent.ts";
import { consoleTail } from "./console_tail.ts";
import { hypervisor } from "./hypervisor.ts";
import { vmEndedError } from "./vm_spec.ts";
import { consoleOf, vmState } from "./state.ts";

interface Kept {
  guest: Guest;
  target: SshTarget;
}

const kept = new Map<string, Kept>();

/** @throws {PthError} `ENVIRONMENT_LOST` where its key is gone */
export async function guestOf(handle: EnvironmentHandle): Promise<Guest> {
  const { sshPort, user, privateKey: keyFile, hostKey, env } = vmState(handle);
  const privateKey = kept.get(handle.environmentId)?.target.privateKey ?? await readKey(keyFile, handle);
  const known = kept.get(handle.environmentId);
  if (known !== undefined) return towards(known, sshPort);
  const target = { host: "127.0.0.1", port: sshPort, username: user, privateKey, hostKey };
  const guest = openGuest({
    target: () => target,
    sourcePath: handle.sourcePath,
    env,
    mustLive: () => requireRunningVm(handle),
    ...(vmState(handle).agentWaits === true ? { port: () => agentPort(handle) } : {}),
  });
  kept.set(handle.environmentId, { guest, target });
  return guest;
}

/** A machine that was started again is behind another port; what is forwarded to it stays forwarded. */
function towards({ guest, target }: Kept, sshPort: number): Guest {
  if (target.port !== sshPort) {
    target.port = sshPort;
    guest.dropped();
  }
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
    throw new PthError("ENVIRONMENT_LOST", `Cannot reach VM ${environmentId}: its key ${file} is gone`, {
      next: ["Provision a new environment"],
    }, { cause });
  }
}

/**
 * Finds the port at which this machine's agent waits.
 * @throws {PthError} `ENVIRONMENT_LOST` where it has ended
 */
async function agentPort(handle: EnvironmentHandle): Promise<AgentPort | undefined> {
  const look = async () => agentPortIn(await (await requireDomain(handle)).xml());
  const port = await look();
  return port && { ...port, isHeld: async () => (await look())?.held === true };
}

/** Time until libvirt notices that a machine is gone, and until one that is ending is gone, in ms. */
const [noticeMs, endMs] = [5000, 20_000];
const ending: readonly DomainState[] = ["shutdown", "shutoff", "crashed"];

/** Makes the error for a lost guest: it gives the machine's end, or says that it runs and does not answer. */
export async function vmLossReason(handle: EnvironmentHandle, cause: PthError): Promise<PthError> {
  const state = vmState(handle);
  const begun = performance.now();
  for (;;) {
    const domain = await findDomain(handle);
    if (domain === undefined) break;
    const info = await domain.info().catch(() => undefined); // gone meanwhile: seen in the next round
    const within = info === undefined || ending.includes(info.state) ? endMs : noticeMs;
    if (performance.now() > begun + within) {
      const output = await consoleTail(consoleOf(state));
      return new PthError(cause.code, cause.message, { ...cause.context, output }, { cause });
    }
    await sleep(100);
  }
  return await vmEndedError(state.domain, consoleOf(state));
}

/** The machine; undefined where it has ended. */
export async function findDomain(handle: EnvironmentHandle): Promise<Domain | undefined> {
  const { uri, domain } = vmState(handle);
  return await (await hypervisor(uri)).lookup(domain);
}

/** The machine. @throws {PthError} `ENVIRONMENT_LOST` with the console's last lines where it has ended */
export async function requireDomain(handle: EnvironmentHandle): Promise<Domain> {
  const found = await findDomain(handle);
  if (found === undefined) throw await vmEndedError(vmState(handle).domain, consoleOf(vmState(handle)));
  return found;
}

/** @throws {PthError} `ENVIRONMENT_LOST` where the machine has ended */
const requireRunningVm = async (handle: EnvironmentHandle): Promise<void> => void await requireDomain(handle);
