/** Machines of sessions that are gone, found by the mark in their description and by their folders; for `pth clean`. */
import { PthError } from "../../core/errors.ts";
import { removeIfExists } from "../../platform/files.ts";
import type { Domain } from "../../platform/libvirt.ts";
import { isOwnerAlive } from "../../platform/owner.ts";
import type { Leftover } from "../runtime.ts";
import { labelledFolders } from "../shared/state_folder.ts";
import { domainLabel, type DomainMark } from "./domain_xml.ts";
import { goldenSession } from "./golden.ts";
import { hypervisor } from "./hypervisor.ts";
import { domainName } from "./state.ts";

/** Machines first: a disk goes only after what uses it. */
export async function machineLeftovers(): Promise<Leftover[]> {
  return [...await domains(), ...await disks()];
}

async function domains(): Promise<Leftover[]> {
  const found: Leftover[] = [];
  for (const { domain, mark } of await markedDomains()) {
    const ownerLives = await isOwnerAlive(mark.owner);
    found.push({
      kind: "domain",
      name: domain.name,
      sessionId: mark.sessionId,
      ownerLives,
      disposable: mark.sessionId === goldenSession && !ownerLives,
      remove: () => domain.destroy(),
    });
  }
  return found;
}

/** Nothing where no libvirt answers: what it ran cannot be seen, and is found when it answers again. */
async function markedDomains(): Promise<{ domain: Domain; mark: DomainMark }[]> {
  try {
    const all = await (await hypervisor()).domains();
    const marked = await Promise.all(
      all.filter(({ name }) => name.startsWith("pth-")).map(async (domain) => ({
        domain,
        mark: await markIfThere(domain),
      })),
    );
    return marked.filter((one): one is { domain: Domain; mark: DomainMark } => one.mark !== undefined);
  } catch (error) {
    if (error instanceof PthError && error.code === "RUNTIME_UNAVAILABLE") return [];
    throw error;
  }
}

async function markIfThere(domain: Domain): Promise<DomainMark | undefined> {
  try {
    return domainLabel(await domain.xml());
  } catch (error) {
    if (!await domain.exists()) return undefined; // ended meanwhile
    throw error;
  }
}

async function disks(): Promise<Leftover[]> {
  return await Promise.all((await labelledFolders("vms")).map(async ({ path, note }): Promise<Leftover> => ({
    kind: "disk",
    name: path,
    sessionId: note.sessionId,
    ownerLives: await isOwnerAlive({ pid: note.ownerPid }),
    remove: async () => {
      await endMachineOf(note.environmentId);
      await removeIfExists(path);
    },
  })));
}

async function endMachineOf(environmentId: string): Promise<void> {
  const all = await markedDomains();
  await all.find(({ domain }) => domain.name === domainName(environmentId))?.domain.destroy();
}
