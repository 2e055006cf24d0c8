/**
 * A source that guest and host see as one folder: nothing is brought to and fro, but its device stands in the way of
 * snapshots and rollbacks, and is taken out for them.
 */
import { join } from "node:path";
import { exists, removeEmptyFolder } from "../../../platform/files.ts";
import type { Domain } from "../../../platform/libvirt.ts";
import { log } from "../../../platform/log.ts";
import { ownFoldersOf } from "./own_folders.ts";
import type { Share, Sharing } from "./share.ts";
import { attachSource, detachSource, tagsIn } from "./virtiofs_device.ts";
import { mountSource, requireVirtiofs, unmountSource } from "./virtiofs_mount.ts";

const latency =
  "none for what reads and writes; watchers in the guest do not hear of edits on the host, and a snapshot takes the " +
  "folder from under what runs in it";

export interface VirtiofsSharing extends Sharing {
  /** The machine as it is now. */
  domain: () => Promise<Domain>;
}

/**
 * Takes up a device and a mount that are there already, another process's for example.
 * @throws {PthError} `PROVISION_FAILED` (module missing in the guest), `EXEC_FAILED` (the device cannot be attached)
 */
export async function virtiofsSource({ guest, hostPath, envPath, domain }: VirtiofsSharing): Promise<Share> {
  /** Folders on the host that are there only to be mounted on. */
  const made = new Set<string>();

  const show = async () => {
    const own = await ownFoldersOf(hostPath);
    for (const path of own) if (!await exists(join(hostPath, path))) made.add(path);
    const machine = await domain();
    const tag = tagsIn(await machine.xml())[0] ?? await attachSource(machine, hostPath);
    await mountSource(guest, envPath, tag, own);
  };

  const hide = async () => {
    if (await unmountSource(guest, envPath)) {
      log.info("what runs in the source folder loses it to a snapshot", { machine: (await domain()).name });
    }
    await detachSource(await domain());
  };

  const tidy = async () => {
    for (const path of made) await removeEmptyFolder(join(hostPath, path));
  };

  await requireVirtiofs(guest);
  try {
    await show();
  } catch (error) {
    await hide().catch(() => {}); // why it cannot be had counts
    await tidy();
    throw error;
  }

  const nothing = () => Promise.resolve();
  return {
    mount: { method: "virtiofs", hostPath, envPath, writable: true, latency },
    bringIn: nothing,
    bringOut: nothing,
    keepUp: () => () => {},
    release: hide,
    abandon: nothing, // rolling back pulls the device
    regain: show,
    close: tidy,
  };
}
