/** Tier 1 on a container engine: Docker's API over its socket, or Podman's through `DOCKER_HOST` (PTH design §4). */
import type {
  EnvironmentHandle,
  EnvironmentSpec,
  RuntimeAbilities,
} from "../../machines/model/environment.ts";
import { PthError } from "../errors.ts";
import { uid } from "../platform/host.ts";
import {
  containerName,
  type DockerState,
  homeInside,
  inspectContainer,
  removeContainer,
  removeContainers,
  sourceInside,
  startContainer,
  stateOf,
} from "./docker/container.ts";
import { copyInto, copyOutOf, putFile } from "./docker/copy.ts";
import { connectEngine, type Engine, engineAnswered, engineError, requireLately } from "./docker/engine.ts";
import { execInside, type Inside, spawnInside } from "./docker/exec.ts";
import { dockerLeftovers } from "./docker/leftovers.ts";
import { chooseNetwork } from "./docker/network.ts";
import { probeDocker } from "./docker/probe.ts";
import { openRelay } from "./docker/relay.ts";
import { fingerprintOf, healthOf, logsOf, stateInside, whyLost } from "./docker/reports.ts";
import { removeSnapshot, removeSnapshots, requireSnapshot, takeSnapshot } from "./docker/snapshots.ts";
import { defaultImage, imageReference } from "./images/catalogue.ts";
import { defineRuntime, type EnvironmentRuntime } from "./runtime.ts";
import { type Owner, thisProcess } from "../session/owner.ts";
import { carriedSettings } from "./shared/carried_settings.ts";
import { compareFingerprints } from "./shared/drift.ts";
import { closeRelays, keepRelay, relayTo } from "./shared/relays.ts";

const abilities: RuntimeAbilities = {
  snapshots: "disk",
  systemd: false,
  kernel: false,
  isolated: true,
  sharesNetwork: false,
  outlivesOwner: true,
  // What an engine enforces depends on its kernel and storage: `inspect` tells for each environment.
  limits: { cpus: true, memory: true, disk: false },
};

/** Base images hold the host's authorities here, beside the public ones. */
const visibleInside = (path: string): boolean =>
  path === "/etc/ssl/certs/ca-certificates.crt" || path === "/etc/ssl/certs";

function createDocker(): EnvironmentRuntime {
  let connection: Promise<Engine> | undefined;
  const connect = () => connection ??= connectEngine();
  const inside = async (handle: EnvironmentHandle): Promise<Inside> => {
    const engine = await connect();
    await requireLately(engine);
    return { engine, containerId: stateOf(handle).containerId, sourcePath: handle.sourcePath };
  };
  /** What is asked of a container that ended is answered with why it ended. */
  const within = async <T>(handle: EnvironmentHandle, act: (place: Inside) => Promise<T>): Promise<T> => {
    const place = await inside(handle);
    try {
      const result = await act(place);
      engineAnswered();
      return result;
    } catch (error) {
      if (error instanceof PthError && error.code === "ENVIRONMENT_LOST") {
        throw await whyLost(place, handle, error);
      }
      throw error;
    }
  };

  return {
    name: "docker",
    abilities,
    provision: async (spec, signal) => await provision(await connect(), spec, signal),

    async destroy(handle) {
      await closeRelays(handle.environmentId);
      const place = await inside(handle);
      await giveBackFiles(place, handle);
      await removeContainers(place.engine, handle.environmentId);
      await removeSnapshots(place.engine, handle.environmentId);
    },

    exec: (handle, command, options) => within(handle, (place) => execInside(place, command, options)),
    spawn: (handle, command, options) => within(handle, (place) => spawnInside(place, command, options)),
    copyIn: (handle, from, to) => within(handle, (place) => copyInto(place, from, to)),
    copyOut: (handle, from, to) => within(handle, (place) => copyOutOf(place, from, to)),

    async mountSource(handle, hostPath, envPath) {
      if (hostPath === stateOf(handle).hostSource && envPath === handle.sourcePath) {
        return { method: "bind", hostPath, envPath, writable: true, latency: "none" };
      }
      await within(handle, (place) => copyInto(place, hostPath, envPath));
      const latency = "edits on the host are not seen: a living container takes no new bind, copy again";
      return { method: "copy", hostPath, envPath, writable: true, latency };
    },

    snapshot: (handle, tag) =>
      within(
        handle,
        ({ engine, containerId }) => takeSnapshot(engine, handle.environmentId, containerId, tag),
      ),
    rollback: async (handle, snapshot) => await rollback(await connect(), handle, snapshot),
    dropSnapshot: async (handle, snapshot) =>
      await removeSnapshot(await connect(), handle.environmentId, snapshot),

    async forwardPort(handle, envPort, hostPort) {
      // On the host's network a port inside is one of the host's already.
      if (stateOf(handle).network.mode === "host" && hostPort === envPort) return envPort;
      // Servers that follow each other on a port share one relay: it asks for the way at each connection.
      const known = hostPort === undefined ? relayTo(handle.environmentId, envPort) : undefined;
      if (known) return known.port;
      const target = {
        address: async () => await addressOf(await connect(), handle),
        spawn: async (command: readonly string[]) => await spawnInside(await current(handle), command),
      };
      const relay = await openRelay(target, envPort, hostPort ?? 0);
      keepRelay(handle.environmentId, envPort, relay);
      return relay.port;
    },

    healthCheck: async (handle) => await healthOf(await inside(handle)),

    fingerprint: (handle) => within(handle, fingerprintOf),
    detectDrift: async (handle, baseline) =>
      compareFingerprints(baseline, await within(handle, fingerprintOf)),

    logs: (handle, options) => within(handle, (place) => logsOf(place, options?.tail ?? 200)),
    inspect: async (handle) => await stateInside(await inside(handle), handle),
  };

  /** The container that serves the environment now: a rollback has replaced the one of an older handle. */
  async function current(handle: EnvironmentHandle): Promise<Inside> {
    const found = await inspectContainer(await connect(), containerName(handle.environmentId));
    return { ...(await inside(handle)), ...(found ? { containerId: found.Id } : {}) };
  }
}

async function provision(
  engine: Engine,
  spec: EnvironmentSpec,
  signal: AbortSignal | undefined,
): Promise<EnvironmentHandle> {
  signal?.throwIfAborted();
  const image = spec.image ?? defaultImage;
  const carried = await carriedSettings(visibleInside);
  const env = { HOME: homeInside, ...carried.env, PTH_SESSION: spec.sessionId, ...spec.env };
  const plan = {
    environmentId: spec.environmentId,
    sessionId: spec.sessionId,
    image: imageReference(image),
    ...(spec.sourcePath ? { hostSource: spec.sourcePath } : {}),
    env,
    resources: spec.resources,
    network: chooseNetwork(env),
    owner: ownerLabel(await thisProcess()),
  };
  const bringFiles = async (containerId: string) => {
    for (const { hostPath, envPath } of carried.files) await putFile(engine, containerId, hostPath, envPath);
  };
  try {
    const state = await startContainer(engine, plan, containerName(spec.environmentId), bringFiles, signal);
    return handleOf(spec.environmentId, spec.sessionId, image, state);
  } catch (error) {
    if (error instanceof PthError && error.code === "IMAGE_MISSING") throw imageMissing(image, error);
    throw error;
  }
}

const ownerLabel = ({ pid, startTime = "" }: Owner): string => `${pid}/${startTime}`;

const imageMissing = (image: string, cause: PthError): PthError =>
  new PthError("IMAGE_MISSING", `Cannot provision a container: image ${image} is not on the engine`, {
    ...cause.context,
    next: [`Build it: pth images build ${image}`, "See what there is: pth images list"],
  }, { cause });

const handleOf = (
  environmentId: string,
  sessionId: string,
  image: string,
  state: DockerState,
): EnvironmentHandle => ({
  environmentId,
  sessionId,
  runtime: "docker",
  tier: 1,
  image,
  sourcePath: sourceInside,
  state: { ...state },
});

/**
 * Starts a container from the snapshot beside the old one, and replaces it only once it runs: a failure keeps the old.
 */
async function rollback(
  engine: Engine,
  handle: EnvironmentHandle,
  snapshot: string,
): Promise<EnvironmentHandle> {
  const { environmentId, sessionId, image } = handle;
  await requireSnapshot(engine, environmentId, snapshot);
  const old = stateOf(handle);
  const name = containerName(environmentId);
  // Variables come with the snapshot's image.
  const plan = { ...old, environmentId, sessionId, image: snapshot, env: {} };
  try {
    const state = await startContainer(engine, plan, `${name}-next`, async () => {});
    await removeContainer(engine, old.containerId);
    await engine.getContainer(state.containerId).rename({ name });
    return handleOf(environmentId, sessionId, image, { ...state, image: old.image });
  } catch (error) {
    throw engineError(error, `Cannot roll back to ${snapshot}`, "ROLLBACK_FAILED");
  }
}

async function addressOf(engine: Engine, handle: EnvironmentHandle): Promise<string | undefined> {
  if (stateOf(handle).network.mode === "host") return "127.0.0.1";
  const found = await inspectContainer(engine, containerName(handle.environmentId));
  const networks = Object.values(found?.NetworkSettings.Networks ?? {});
  return networks.find(({ IPAddress }) => IPAddress)?.IPAddress;
}

/** Files that root made in the shared folder become the user's again, who could not remove them otherwise. */
async function giveBackFiles(place: Inside, handle: EnvironmentHandle): Promise<void> {
  if (uid() === 0 || !stateOf(handle).hostSource) return;
  const owner = String(uid());
  try {
    await execInside(place, [
      "find",
      sourceInside,
      "-xdev",
      "-uid",
      "0",
      "-exec",
      "chown",
      "-h",
      owner,
      "{}",
      "+",
    ]);
  } catch (error) {
    if (error instanceof PthError && error.code === "ENVIRONMENT_LOST") return; // no longer there to do it
    throw error;
  }
}

export default defineRuntime({
  name: "docker",
  tiers: [1],
  rank: 1,
  probe: probeDocker,
  create: createDocker,
  leftovers: dockerLeftovers,
});
