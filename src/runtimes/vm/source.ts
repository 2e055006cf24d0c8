/** The host's source folder in a machine, and commands that see it up to date. */
import type { EnvironmentHandle, MountInfo } from "../../../machines/model/environment.ts";
import { messageOf, PthError } from "../../errors.ts";
import { log } from "../../platform/log.ts";
import type { Guest } from "./guest.ts";
import { guestOf, requireDomain } from "./guests.ts";
import { type Share, withShare } from "./sharing/share.ts";
import { syncSource } from "./sharing/sync.ts";
import { virtiofsSource } from "./sharing/virtiofs.ts";
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

async function begin(handle: EnvironmentHandle, hostPath: string): Promise<Share> {
  const sharing = { guest: await guestOf(handle), hostPath, envPath: handle.sourcePath };
  if (stateOf(handle).share !== "virtiofs") return await syncSource(sharing);
  try {
    return await virtiofsSource({ ...sharing, domain: () => requireDomain(handle) });
  } catch (error) {
    if (error instanceof PthError && error.code === "ENVIRONMENT_LOST") throw error;
    const why = messageOf(error);
    log.warn("the source is synchronized instead", { environmentId: handle.environmentId, why });
    const share = await syncSource(sharing);
    return {
      ...share,
      mount: { ...share.mount, latency: `${share.mount.latency}. Not by virtiofs: ${why}` },
    };
  }
}

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

/** Runs what a share would stand in the way of. */
export async function whileReleased<T>(handle: EnvironmentHandle, act: () => Promise<T>): Promise<T> {
  const share = await shareOf(handle);
  await share?.release();
  return await thenRegain(share, act);
}

/**
 * Runs what takes the guest back in time, also a guest that is broken or gone: what it wrote to the source folder last
 * is then lost.
 */
export async function whileBroken<T>(handle: EnvironmentHandle, act: () => Promise<T>): Promise<T> {
  // One that was never begun here begins with the machine as it will be.
  const share = shares.has(handle.environmentId) ? await shareOf(handle) : undefined;
  await share?.abandon().catch((error) =>
    log.info("what the guest wrote last is lost", {
      environmentId: handle.environmentId,
      error: messageOf(error),
    })
  );
  return await thenRegain(share, act);
}

async function thenRegain<T>(share: Share | undefined, act: () => Promise<T>): Promise<T> {
  const result = await act().catch(async (error) => {
    await share?.regain().catch(() => {}); // what failed first is told
    throw error;
  });
  await share?.regain();
  return result;
}
