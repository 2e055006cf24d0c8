/**
 * Containers that stand ready to take the place of an environment's own: started from a snapshot as soon as it is taken,
 * so that a rollback to it is a swap. They carry the session's labels, as all of its containers.
 */
import type { EnvironmentHandle } from "../../../machines/model/environment.ts";
import { WarmPool } from "../warm_pool/warm_pool.ts";
import {
  containerName,
  type DockerState,
  dockerState,
  inspectContainer,
  removeContainer,
} from "./container.ts";
import { type Engine, engineMessage, engineStatusCode } from "./engine.ts";
import { pauseExclusively } from "./pause_exclusively.ts";

/** Replacements of all environments of this process. */
const ready = new WarmPool<DockerState>();

const keyOf = (environmentId: string, snapshot: string): string => `${environmentId} ${snapshot}`;

/** Forgets what stands ready for an environment, or for one of its snapshots, once it is removed. */
export const removeReplacements = (environmentId: string, snapshot?: string): Promise<void> =>
  ready.drop((key) =>
    snapshot === undefined ? key.startsWith(keyOf(environmentId, "")) : key === keyOf(environmentId, snapshot)
  );

/**
 * Starts one in the background. One with systemd is frozen once it is up: two machines of the same kind must not work on
 * the shared source at once. Where both would share the host's network, they would take each other's ports: none then.
 * @param start Makes a container of this name from the snapshot.
 */
export function prepareReplacement(
  engine: Engine,
  handle: EnvironmentHandle,
  snapshot: string,
  start: (name: string) => Promise<DockerState>,
): void {
  const { systemd, network } = dockerState(handle);
  if (systemd && network.mode === "host") return;
  ready.prepare(keyOf(handle.environmentId, snapshot), {
    async make() {
      // Names differ: the previous one may still be on its way out.
      const name = `${containerName(handle.environmentId)}-ready-${crypto.randomUUID().slice(0, 8)}`;
      const state = await start(name);
      if (!systemd) return state;
      const { containerId } = state;
      try {
        await pauseExclusively(containerId, () => engine.getContainer(containerId).pause());
        return state;
      } catch (error) {
        await removeContainer(engine, containerId);
        throw error;
      }
    },
    discard: ({ containerId }) => removeContainer(engine, containerId),
  });
}

/**
 * Puts the one that stands ready for this snapshot in the place of the old container, in which nothing runs on: it is
 * frozen at once, and removed in the background. Undefined where there is none that runs: the old one goes on then, as it
 * does after an error.
 */
export async function replaceContainer(
  engine: Engine,
  handle: EnvironmentHandle,
  snapshot: string,
): Promise<DockerState | undefined> {
  const state = await ready.claim(keyOf(handle.environmentId, snapshot));
  if (!state) return undefined;
  const old = engine.getContainer(dockerState(handle).containerId);
  const next = engine.getContainer(state.containerId);
  const name = containerName(handle.environmentId);
  try {
    const frozen = unlessEnded(pauseExclusively(old.id, () => old.pause()));
    if (!await runs(engine, next.id, frozen)) {
      await unlessEnded(old.unpause());
      await removeContainer(engine, next.id);
      return undefined;
    }
    await Promise.all([
      state.systemd ? next.unpause() : undefined,
      unlessEnded(old.rename({ name: `${name}-old-${next.id.slice(0, 8)}` })),
    ]);
    await next.rename({ name });
  } catch (error) {
    // The first error is the news; a container that stays carries the environment's label and goes with it.
    await removeContainer(engine, next.id).catch(() => {});
    // Refused where the old one was not frozen or renamed yet; the next call reports an engine that is gone.
    await Promise.allSettled([old.unpause(), old.rename({ name })]);
    throw error;
  }
  // Its processes end with it. What fails here, the environment's end tries again.
  void removeContainer(engine, old.id).catch(() => {});
  return state;
}

async function runs(engine: Engine, containerId: string, frozen: Promise<void>): Promise<boolean> {
  const [found] = await Promise.all([inspectContainer(engine, containerId), frozen]);
  return found?.State.Running === true; // also of one that is frozen
}

/** A container that has ended, or is gone, needs neither a freeze nor another name. */
async function unlessEnded(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    const status = engineStatusCode(error);
    if (status !== 404 && status !== 409 && !/not (running|paused)/i.test(engineMessage(error))) throw error;
  }
}
