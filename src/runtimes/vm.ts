/**
 * Tier 3: a virtual machine for each environment, by QEMU under libvirt, reached over SSH. It goes on
 * from its image's golden state instead of booting, and snapshots hold its memory.
 */
import type { EnvironmentHandle, RuntimeAbilities } from "../../machines/model/environment.ts";
import { asPthError, PthError } from "../core/errors.ts";
import { defineRuntime, type EnvironmentRuntime, type Leftover, type Readiness } from "./runtime.ts";
import { forwardHostPort } from "./network/forward_host_port.ts";
import { requireNetwork } from "./network/networks.ts";
import { compareFingerprints } from "./drift/compare_fingerprints.ts";
import { bringSource, unpackBy } from "./shared/source/bring_source.ts";
import type { Guest } from "./vm/guest.ts";
import { guestOf, vmLossReason } from "./vm/guests.ts";
import { destroyVm, provisionVm } from "./vm/provision.ts";
import { inspectVm, vmFingerprint, vmHealth, vmLogs } from "./vm/vm_reports.ts";
import { removeVmSnapshot, rollBack, snapshotVm } from "./vm/snapshots.ts";
import { findAcceleration } from "./vm/acceleration.ts";
import { diskSizeGB } from "./vm/disk.ts";
import { findGolden, goldenSession } from "./vm/golden.ts";
import { hypervisor } from "./vm/hypervisor.ts";
import { requireVmImage } from "./images/vm_images.ts";
import { removeIfExists } from "../platform/files.ts";
import type { Domain } from "../platform/libvirt.ts";
import { labelledFolders } from "./shared/state_folder.ts";
import { domainLabel, type DomainMark } from "./vm/domain_xml.ts";
import { domainName, vmSize } from "./vm/state.ts";
import { isOwnerAlive } from "../platform/proc.ts";

const abilities: RuntimeAbilities = {
  snapshots: "memory",
  systemd: true,
  kernel: true,
  isolated: true,
  sharesNetwork: false,
  outlivesOwner: true,
  // A disk smaller than its image's is not to be had: `inspect` tells for each environment.
  limits: { cpus: true, memory: true, disk: true },
};

/** Runs an operation in the guest; if the machine has ended, its failure gives the reason of that end. */
async function within<T>(handle: EnvironmentHandle, act: (guest: Guest) => Promise<T>): Promise<T> {
  try {
    return await act(await guestOf(handle));
  } catch (error) {
    if (error instanceof PthError && error.code === "ENVIRONMENT_LOST") {
      throw await vmLossReason(handle, error);
    }
    throw error;
  }
}

const create = (): EnvironmentRuntime => ({
  name: "vm",
  abilities,
  async provision(spec, signal, tell) {
    requireNetwork({ name: "vm", networks: [] }, spec.network);
    return await provisionVm(spec, signal, tell);
  },
  destroy: destroyVm,
  exec: (handle, command, options) => within(handle, (guest) => guest.exec(command, options)),
  spawn: (handle, command, options) => within(handle, (guest) => guest.spawn(command, options)),
  copyIn: (handle, from, to, signal) => within(handle, (guest) => guest.copyIn(from, to, signal)),
  copyOut: (handle, from, to, limits) => within(handle, (guest) => guest.copyOut(from, to, limits)),

  mountSource: (handle, hostPath, envPath) =>
    within(handle, (guest) =>
      bringSource(
        {
          environmentId: handle.environmentId,
          exec: (command, options) => guest.exec(command, options),
          unpack: (archive, folder) => unpackBy((words) => guest.spawn(words, { cwd: "/" }), archive, folder),
        },
        hostPath,
        envPath,
      )),

  snapshot: (handle, tag) => within(handle, () => snapshotVm(handle, tag)),
  rollback: rollBack,
  dropSnapshot: (handle, snapshot) => within(handle, () => removeVmSnapshot(handle, snapshot)),

  forwardPort: (handle, envPort, hostPort) => within(handle, (guest) => guest.forward(envPort, hostPort)),

  forwardHostPort: (handle, hostPort, signal) =>
    within(
      handle,
      (guest) => forwardHostPort((command) => guest.spawn(command, { cwd: "/" }), hostPort, signal),
    ),

  healthCheck: vmHealth,
  fingerprint: (handle) => within(handle, () => vmFingerprint(handle)),
  detectDrift: async (handle, baseline) =>
    compareFingerprints(baseline, await within(handle, () => vmFingerprint(handle))),
  logs: (handle, options) => vmLogs(handle, options?.tail ?? 200),
  inspect: inspectVm,
});

export default defineRuntime({
  name: "vm",
  summary:
    "a machine under QEMU and libvirt with a kernel of its own, continued from a saved state instead of booted",
  needs: "`scripts/setup-host.sh --with-vm`, the image `debian12-vm`",
  tiers: [3],
  rank: 1,
  networks: [],
  probe: probeMachine,
  create,
  leftovers: machineLeftovers,
});

/** An image that would first have to be built counts as not ready, and it says how to build it. */
async function probeMachine(asked?: string): Promise<Readiness> {
  try {
    const daemon = await hypervisor();
    const { accelerator, reason } = await findAcceleration(daemon);
    const image = await requireVmImage(asked);
    const size = vmSize({}, image, accelerator, await diskSizeGB(image.disk));
    const golden = await findGolden(daemon, { image, size, accelerator });
    const first = golden
      ? ""
      : "; its golden state is made at the first start, which takes a minute or so, once";
    return { ready: true, reason: `libvirt answers and image ${image.name} is built; ${reason}${first}` };
  } catch (error) {
    const { code, message, context: { next, ...facts } } = asPthError(error, "Cannot use virtual machines");
    const missing = code === "IMAGE_MISSING" ? { code } : {};
    return { ready: false, reason: message, facts, ...missing, ...(next ? { next } : {}) };
  }
}

/** Machines first: a disk goes only after what uses it. */
async function machineLeftovers(): Promise<Leftover[]> {
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

/**
 * Lists PTH's domains; empty where no libvirt answers: what it ran cannot be seen, and is found when it
 * answers again.
 */
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
