/** Shared part of all runtimes on a container engine: everything but what their containers are started with. */
import type { EnvironmentHandle } from "../../../machines/model/environment.ts";
import { asPthError, PthError } from "../../core/errors.ts";
import { compareFingerprints } from "../drift/compare_fingerprints.ts";
import { forwardHostPort } from "../network/forward_host_port.ts";
import { closeRelays, keepRelay, openRelay, relayTo, requireCarrier } from "../network/relay.ts";
import { bringSource, forgetSource, resetSourceState } from "../shared/source/bring_source.ts";
import type { EnvironmentRuntime, Readiness } from "../runtime.ts";
import {
  containerName,
  dockerState,
  inspectContainer,
  removeContainers,
  removeVolumes,
} from "./container.ts";
import type { ContainerKind } from "./container_kind.ts";
import { copyInto, copyOutOf, unpackInto } from "./copy.ts";
import { connectEngine, type Engine, engineAnswered, reachEngine, requireRecentEngine } from "./engine.ts";
import { endAgent, expectAgent, forgetAgent } from "../shared/agent/command_agents.ts";
import { containerAgent } from "./container_agent.ts";
import { emptyContainer } from "./empty_container.ts";
import { type ContainerExec, spawnInside } from "./exec.ts";
import { execInContainer } from "./exec_in_container.ts";
import { imageFor, prepareRollback, provisionContainer, rollBackContainer } from "./provision_container.ts";
import { removeReplacements } from "./replacements.ts";
import {
  containerFingerprint,
  containerHealth,
  containerLossReason,
  logsOf,
  stateInside,
} from "./container_reports.ts";
import { removeSnapshot, removeSnapshots, snapshotContainer } from "./snapshots.ts";
import { isPresent } from "../images/base.ts";
import { imageReference, isBaseImage, otherImages } from "../images/catalogue.ts";
import type { NextStep } from "../../core/next_step.ts";

/** A runtime whose environments are containers of this kind. */
export function containerRuntime(kind: ContainerKind): EnvironmentRuntime {
  let connection: Promise<Engine> | undefined;
  const connect = () => connection ??= connectEngine();
  const inside = async (handle: EnvironmentHandle): Promise<ContainerExec> => {
    const engine = await connect();
    await requireRecentEngine(engine);
    const { containerId, systemd } = dockerState(handle);
    return { engine, containerId, sourcePath: handle.sourcePath, ...(systemd ? { systemd } : {}) };
  };
  /** Runs an operation; if the container has ended, its failure gives the reason of that end. */
  const within = async <T>(
    handle: EnvironmentHandle,
    act: (place: ContainerExec) => Promise<T>,
  ): Promise<T> => {
    const place = await inside(handle);
    try {
      const result = await act(place);
      engineAnswered();
      return result;
    } catch (error) {
      if (error instanceof PthError && error.code === "ENVIRONMENT_LOST") {
        throw await containerLossReason(place, handle, error);
      }
      throw error;
    }
  };

  const fingerprint = (handle: EnvironmentHandle) =>
    within(handle, (place) => containerFingerprint(place, dockerState(handle).network.mode !== "host"));

  return {
    name: kind.runtime,
    abilities: kind.abilities,
    async provision(spec, signal) {
      const handle = await provisionContainer(await connect(), kind, spec, signal);
      if (mayHaveAgent(kind)) expectAgent(dockerState(handle).containerId);
      return handle;
    },

    async destroy(handle) {
      await closeRelays(handle.environmentId);
      await removeReplacements(handle.environmentId);
      const place = await inside(handle);
      await emptyContainer(place);
      await endAgent(dockerState(handle).containerId);
      await removeContainers(place.engine, handle.environmentId);
      forgetSource(handle.environmentId);
      await Promise.all([
        removeVolumes(place.engine, handle.environmentId),
        removeSnapshots(place.engine, handle.environmentId),
      ]);
    },

    exec: (handle, command, options) => within(handle, (place) => execInContainer(place, command, options)),
    spawn: (handle, command, options) =>
      within(handle, async (place) => {
        await containerAgent(place); // it has to be there before anything of the plugin's runs
        return await spawnInside(place, command, options);
      }),
    copyIn: (handle, from, to, signal) => within(handle, (place) => copyInto(place, from, to, signal)),
    copyOut: (handle, from, to, limits) => within(handle, (place) => copyOutOf(place, from, to, limits)),

    mountSource: (handle, hostPath, envPath) =>
      within(handle, (place) =>
        bringSource(
          {
            environmentId: handle.environmentId,
            emptyAtFirst: handle.sourcePath,
            exec: (command, options) => execInContainer(place, command, options),
            unpack: (archive, folder) => unpackInto(place, archive, folder),
          },
          hostPath,
          envPath,
        )),

    snapshot: (handle, tag) =>
      within(handle, async ({ engine, containerId }) => {
        const snapshot = await snapshotContainer(engine, handle.environmentId, containerId, tag);
        prepareRollback(engine, kind, handle, snapshot);
        return snapshot;
      }),
    async rollback(handle, snapshot) {
      const engine = await connect();
      const after = await rollBackContainer(engine, kind, handle, snapshot);
      forgetAgent(dockerState(handle).containerId);
      if (mayHaveAgent(kind)) expectAgent(dockerState(after).containerId);
      resetSourceState(handle.environmentId);
      prepareRollback(engine, kind, after, snapshot); // what was needed once is often needed again
      return after;
    },
    async dropSnapshot(handle, snapshot) {
      await removeReplacements(handle.environmentId, snapshot);
      await removeSnapshot(await connect(), handle.environmentId, snapshot);
    },

    async forwardPort(handle, envPort, hostPort) {
      // On the host's network a port inside is one of the host's already.
      if (dockerState(handle).network.mode === "host" && hostPort === envPort) return envPort;
      // Servers that follow each other on a port share one relay: it asks for the way at each connection.
      const known = hostPort === undefined ? relayTo(handle.environmentId, envPort) : undefined;
      await within(handle, async ({ engine }) => {
        if ((await inspectContainer(engine, containerName(handle.environmentId)))?.State.Running) return;
        throw new PthError("ENVIRONMENT_LOST", `Cannot forward port ${envPort}: its container has ended`);
      });
      if (known) return known.port;
      if (dockerState(handle).network.mode === "none") {
        await requireCarrier(
          (command) => within(handle, (place) => execInContainer(place, command)),
          envPort,
        );
      }
      const target = {
        address: async () => await addressOf(await connect(), handle),
        spawn: async (command: readonly string[]) => await spawnInside(await current(handle), command),
      };
      const relay = await openRelay(target, envPort, hostPort ?? 0);
      keepRelay(handle.environmentId, envPort, relay);
      return relay.port;
    },

    // Also on the host's network: an engine may be on another machine.
    forwardHostPort: (handle, hostPort, signal) =>
      within(
        handle,
        (place) => forwardHostPort((command) => spawnInside(place, command, { cwd: "/" }), hostPort, signal),
      ),

    healthCheck: async (handle) => await containerHealth(await inside(handle)),

    fingerprint,
    detectDrift: async (handle, baseline) => compareFingerprints(baseline, await fingerprint(handle)),

    logs: (handle, options) => within(handle, (place) => logsOf(place, options?.tail ?? 200)),
    inspect: async (handle, options) => await stateInside(await inside(handle), handle, options),
  };

  /** The container that serves the environment now: a rollback has replaced the one of an older handle. */
  async function current(handle: EnvironmentHandle): Promise<ContainerExec> {
    const found = await inspectContainer(await connect(), containerName(handle.environmentId));
    return { ...(await inside(handle)), ...(found ? { containerId: found.Id } : {}) };
  }
}

/** Root of a machine with systemd may trace every process: an agent would be within a plugin's reach. */
const mayHaveAgent = ({ abilities }: ContainerKind): boolean => !abilities.systemd;

async function addressOf(engine: Engine, handle: EnvironmentHandle): Promise<string | undefined> {
  if (dockerState(handle).network.mode === "host") return "127.0.0.1";
  const found = await inspectContainer(engine, containerName(handle.environmentId));
  const networks = Object.values(found?.NetworkSettings.Networks ?? {});
  return networks.find(({ IPAddress }) => IPAddress)?.IPAddress;
}

/** A base image is built by PTH; any other is the user's own, or a slip. */
const waysTo = (image: string, kind: Pick<ContainerKind, "image">): NextStep[] =>
  isBaseImage(image)
    ? [{ terminal: `pth images build ${image}`, mcp: `pth_rebuild_base_images({ names: ["${image}"] })` }]
    : [...otherImages(image, kind.image), "Or give the engine your own image: docker load, docker pull"];

/** An image that would first have to be built counts as not ready, and it says how to build it. */
export async function probeEngine(
  kind: Pick<ContainerKind, "image">,
  asked: string | undefined,
): Promise<Readiness> {
  const image = imageFor(kind, asked);
  try {
    const engine = await reachEngine();
    if (await isPresent(engine, imageReference(image))) {
      const rights = kind.image === "systemd" ? await rightsOf(engine) : "";
      return { ready: true, reason: `a container engine answers and has image ${image}${rights}` };
    }
    return {
      ready: false,
      code: "IMAGE_MISSING",
      reason: `a container engine answers, but ${
        isBaseImage(image) ? `image ${image} is not built` : `has no image ${image}`
      }`,
      next: waysTo(image, kind),
    };
  } catch (error) {
    const { message, context: { next, ...facts } } = asPthError(error, "Cannot reach the container engine");
    return { ready: false, reason: message, facts, ...(next ? { next } : {}) };
  }
}

/** Describes the rights of the engine itself; whether it grants them all shows only when a container starts. */
async function rightsOf(engine: Engine): Promise<string> {
  const { SecurityOptions = [] } = await engine.info() as { SecurityOptions?: string[] };
  return SecurityOptions.some((option) => /rootless/.test(option))
    ? "; it runs without root, so it grants privileges over your own things only"
    : "";
}
