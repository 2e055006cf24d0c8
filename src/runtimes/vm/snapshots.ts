/** Snapshots of a machine with its memory, kept in its own disk by QEMU. */
import type { EnvironmentHandle } from "../../../machines/model/environment.ts";
import { errorMessage, PthError } from "../../core/errors.ts";
import { appendDurably } from "../../platform/append_durably.ts";
import { isNoSpace, pathExists } from "../../platform/files.ts";
import type { Domain } from "../../platform/libvirt.ts";
import { resumeReason } from "./console_tail.ts";
import { netdev } from "./domain_xml.ts";
import { savedStates } from "./disk.ts";
import { findDomain, guestOf, requireDomain } from "./guests.ts";
import { hypervisor } from "./hypervisor.ts";
import { restoreVm, vmEndedError } from "./vm_spec.ts";
import { consoleOf, diskOf, vmState } from "./state.ts";
import { resetSourceState } from "../shared/source/bring_source.ts";

/** Apart from the golden state's tag, and never a number alone, which QEMU would take for an id. */
const prefix = "s-";

/** A tag as QEMU's monitor takes one: few characters, no spaces. @throws {PthError} `SNAPSHOT_FAILED` */
export function vmSnapshotName(tag: string): string {
  const clean = tag.trim().replaceAll(/[^\w.-]+/g, "-").replaceAll(/^-+|-+$/g, "").slice(0, 100);
  if (/[A-Za-z0-9]/.test(clean)) return `${prefix}${clean}`;
  throw new PthError("SNAPSHOT_FAILED", `Cannot snapshot: "${tag}" has no letter or digit to name it by`);
}

/** Tags in QEMU's `info snapshots` or `qemu-img snapshot -l`, those of PTH's snapshots only. */
export function snapshotsIn(answer: string): string[] {
  const rows = answer.split(/\r?\n/).map((line) => line.trim().split(/\s+/));
  return rows.filter(([id, tag]) => /^(\d+|--)$/.test(id ?? "") && tag?.startsWith(prefix)).map(([, tag]) =>
    tag!
  );
}

/** Machine and memory as they are. A tag used before is replaced. @throws {PthError} `SNAPSHOT_FAILED`, `DISK_FULL` */
export async function snapshotVm(handle: EnvironmentHandle, tag: string): Promise<string> {
  const name = vmSnapshotName(tag);
  const domain = await requireDomain(handle);
  try {
    await tell(domain, `savevm ${name}`);
  } catch (error) {
    // A machine that ran out of room while it was saved is paused.
    await domain.resume().catch(() => {}); // the failure that led here is reported
    await domain.monitorCommand(`delvm ${name}`).catch(() => "");
    const full = isNoSpace(errorMessage(error));
    throw new PthError(
      full ? "DISK_FULL" : "SNAPSHOT_FAILED",
      `Cannot snapshot as ${tag}: ${errorMessage(error)}`,
      {
        ...(full ? { next: ["Make room where PTH keeps its state (PTH_HOME)"] } : {}),
      },
      { cause: error },
    );
  }
  await (await guestOf(handle)).setClock(); // it stood still while it was saved
  return name;
}

/**
 * The machine goes on from where it was, with the processes that it had then; those that PTH had started are ended. One
 * that has ended meanwhile (a panic, a power-off) is started again in that state.
 * @throws {PthError} `ROLLBACK_FAILED`, `NO_SUCH_SNAPSHOT`
 */
export async function rollBack(handle: EnvironmentHandle, snapshot: string): Promise<EnvironmentHandle> {
  const domain = await findDomain(handle);
  if (domain === undefined) return await revive(handle, snapshot);
  await requireSnapshot(domain, snapshot);
  const guest = await guestOf(handle);
  guest.dropped(); // what it still says is of another time
  try {
    await domain.suspend();
    await tell(domain, `loadvm ${snapshot}`);
    await forwardAgain(domain, vmState(handle).sshPort);
    await domain.resume();
  } catch (error) {
    throw rollbackFailed(error, snapshot);
  }
  resetSourceState(handle.environmentId);
  guest.dropped();
  await guest.setClock();
  return handle;
}

const rollbackFailed = (error: unknown, snapshot: string): PthError =>
  new PthError("ROLLBACK_FAILED", `Cannot roll back to ${snapshot}: ${errorMessage(error)}`, {
    next: [{ mcp: "Provision the environment anew: pth_reprovision_environment" }],
  }, { cause: error });

/** @throws {PthError} `ENVIRONMENT_LOST` where its disk is gone too, `NO_SUCH_SNAPSHOT`, `ROLLBACK_FAILED` */
async function revive(handle: EnvironmentHandle, snapshot: string): Promise<EnvironmentHandle> {
  const state = vmState(handle);
  if (!await pathExists(diskOf(state))) throw await vmEndedError(state.domain, consoleOf(state));
  mustKnow(snapshot, snapshotsIn(await savedStates(diskOf(state))));
  try {
    await appendDurably(consoleOf(state), `\n${resumeReason}\n`);
    const { sshPort } = await restoreVm(await hypervisor(state.uri), state.plan, snapshot);
    const revived = { ...handle, state: { ...state, sshPort } };
    resetSourceState(handle.environmentId);
    const guest = await guestOf(revived);
    guest.dropped();
    await guest.setClock();
    return revived;
  } catch (error) {
    throw rollbackFailed(error, snapshot);
  }
}

/** Replaces the forwarded port: a restored state has the one that it was saved with, or none. */
async function forwardAgain(domain: Domain, sshPort: number): Promise<void> {
  await domain.monitorCommand(`hostfwd_remove ${netdev} tcp:127.0.0.1:${sshPort}`);
  await tell(domain, `hostfwd_add ${netdev} tcp:127.0.0.1:${sshPort}-:22`);
}

export async function removeVmSnapshot(handle: EnvironmentHandle, snapshot: string): Promise<void> {
  const domain = await requireDomain(handle);
  await requireSnapshot(domain, snapshot);
  await tell(domain, `delvm ${snapshot}`);
}

async function requireSnapshot(domain: Domain, snapshot: string): Promise<void> {
  mustKnow(snapshot, snapshotsIn(await domain.monitorCommand("info snapshots")));
}

/** @throws {PthError} `NO_SUCH_SNAPSHOT` naming those that there are */
function mustKnow(snapshot: string, known: string[]): void {
  if (known.includes(snapshot)) return;
  throw new PthError(
    "NO_SUCH_SNAPSHOT",
    `Cannot find snapshot ${snapshot}: this environment has none of that name`,
    {
      next: [known.length > 0 ? `Use one of: ${known.join(", ")}` : "Take a snapshot first"],
    },
  );
}

/** Runs a command of QEMU's monitor, which answers with nothing if it succeeded. */
async function tell(domain: Domain, command: string): Promise<void> {
  const said = (await domain.monitorCommand(command)).trim();
  if (said !== "") throw new Error(said.replace(/^Error: /, ""));
}
