/**
 * Tier 3: a virtual machine for each environment, by QEMU under libvirt, reached over SSH. It goes on
 * from its image's golden state instead of booting, and snapshots hold its memory.
 */
import type { EnvironmentHandle, RuntimeAbilities } from "../../machines/model/environment.ts";
import { PthError } from "../core/errors.ts";
import { defineRuntime, type EnvironmentRuntime } from "./runtime.ts";
import { requireNetwork } from "./network/networks.ts";
import { compareFingerprints } from "./drift/compare_fingerprints.ts";
import { bringSource, unpackBy } from "./shared/source/bring_source.ts";
import type { Guest } from "./vm/guest.ts";
import { guestOf, vmLossReason } from "./vm/guests.ts";
import { machineLeftovers } from "./vm/machine_leftovers.ts";
import { probeMachine } from "./vm/probe_machine.ts";
import { destroyMachine, provisionMachine } from "./vm/provision.ts";
import { inspectMachine, machineFingerprint, machineHealth, machineLogs } from "./vm/vm_reports.ts";
import { removeVmSnapshot, rollBack, snapshotVm } from "./vm/snapshots.ts";

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

/** What is asked of a machine that ended is answered with why it ended. */
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
    return await provisionMachine(spec, signal, tell);
  },
  destroy: destroyMachine,
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

  healthCheck: machineHealth,
  fingerprint: (handle) => within(handle, () => machineFingerprint(handle)),
  detectDrift: async (handle, baseline) =>
    compareFingerprints(baseline, await within(handle, () => machineFingerprint(handle))),
  logs: (handle, options) => machineLogs(handle, options?.tail ?? 200),
  inspect: inspectMachine,
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
