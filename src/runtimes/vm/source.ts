/** The host's source folder in a machine, and commands that see it up to date. */
import type { EnvironmentHandle, MountInfo } from "../../../machines/model/environment.ts";
import type { Guest } from "./guest.ts";
import { guestOf } from "./guests.ts";
import { type Share, withShare } from "./sharing/share.ts";
import { syncSource } from "./sharing/sync.ts";
import { stateOf } from "./state.ts";

const shares = new Map<string, Promise<Share>>();

/** The share of the environment's source, begun at the first use in this process; undefined where it has none. */
async function shareOf(handle: EnvironmentHandle): Promise<Share | undefined> {
  const { hostSource } = stateOf(handle);
  if (hostSource === undefined) return undefined;
  let opening = shares.get(handle.environmentId);
  if (opening === undefined) {
    opening = begin(handle, hostSource);
    shares.set(handle.environmentId, opening);
    opening.catch(() => shares.delete(handle.environmentId)); // the next use tries again
  }
  return await opening;
}

const begin = async (handle: EnvironmentHandle, hostPath: string): Promise<Share> =>
  await syncSource({ guest: await guestOf(handle), hostPath, envPath: handle.sourcePath });

/** The guest, with its commands seeing what the host's source folder holds, and the host what they wrote to it. */
export async function sharedGuest(handle: EnvironmentHandle): Promise<Guest> {
  const share = await shareOf(handle);
  const guest = await guestOf(handle);
  return share === undefined ? guest : withShare(guest, share);
}

/** How the source is shared; undefined where the environment has none of the host's. */
export const mountOf = async (handle: EnvironmentHandle): Promise<MountInfo | undefined> =>
  (await shareOf(handle))?.mount;

export async function endShare(environmentId: string): Promise<void> {
  const opening = shares.get(environmentId);
  shares.delete(environmentId);
  const share = await opening?.catch(() => undefined); // one that never began needs no end
  await share?.close();
}

/** Runs what a share would stand in the way of, or what takes the guest's side of it back in time. */
export async function whileReleased<T>(handle: EnvironmentHandle, act: () => Promise<T>): Promise<T> {
  const share = await shareOf(handle);
  await share?.release();
  try {
    return await act();
  } finally {
    await share?.regain();
  }
}
