/** Makes an environment's container, and replaces it by one that starts from a snapshot. */
import type { EnvironmentHandle, EnvironmentSpec } from "../../../machines/model/environment.ts";
import { PthError } from "../../core/errors.ts";
import { log } from "../../platform/log.ts";
import { defaultImage, imageOfKind, imageReference } from "../images/catalogue.ts";
import { carriedSettings, imageHolds } from "../shared/carried_settings.ts";
import {
  containerHome,
  containerName,
  type ContainerPlan,
  containerSourcePath,
  type DockerState,
  dockerState,
  ownerLabel,
  removeContainer,
  removeVolumes,
  startContainer,
  type StartSteps,
} from "./container.ts";
import type { ContainerKind } from "./container_kind.ts";
import { putFile } from "./copy.ts";
import { type Engine, engineError, engineMessage } from "./engine.ts";
import { chooseNetwork } from "./container_network.ts";
import { prepareReplacement, replaceContainer } from "./replacements.ts";
import { requireSnapshot } from "./snapshots.ts";
import { thisProcess } from "../../platform/proc.ts";

/** The image of this kind that was asked for by the name of any, or the user's own as it stands. */
export const imageFor = (kind: Pick<ContainerKind, "image">, asked: string = defaultImage): string =>
  imageOfKind(asked, kind.image)?.name ?? asked;

export async function provisionContainer(
  engine: Engine,
  kind: ContainerKind,
  spec: EnvironmentSpec,
  signal: AbortSignal | undefined,
): Promise<EnvironmentHandle> {
  signal?.throwIfAborted();
  const image = imageFor(kind, spec.image);
  const carried = await carriedSettings(imageHolds);
  const env = { HOME: containerHome, ...carried.env, PTH_SESSION: spec.sessionId, ...spec.env };
  const plan: ContainerPlan = {
    environmentId: spec.environmentId,
    sessionId: spec.sessionId,
    runtime: kind.runtime,
    image: imageReference(image),
    ...(kind.abilities.systemd ? { systemd: true } : {}),
    env,
    resources: spec.resources,
    network: chooseNetwork(env, spec.network),
    owner: ownerLabel(await thisProcess()),
  };
  const bringFiles = async (containerId: string) => {
    for (const { hostPath, envPath } of carried.files) await putFile(engine, containerId, hostPath, envPath);
  };
  try {
    const steps = { prepare: bringFiles, ready: readyOf(engine, kind, signal) };
    const state = await startContainer(engine, plan, containerName(spec.environmentId), steps, signal);
    return handleOf(kind, spec.environmentId, spec.sessionId, image, state);
  } catch (error) {
    await removeVolumes(engine, spec.environmentId).catch((cause) =>
      log.warn("a volume is left for pth clean", {
        environmentId: spec.environmentId,
        error: engineMessage(cause),
      })
    );
    if (error instanceof PthError && error.code === "IMAGE_MISSING") throw imageMissing(image, error);
    throw error;
  }
}

const readyOf = (
  engine: Engine,
  kind: ContainerKind,
  signal: AbortSignal | undefined,
): StartSteps["ready"] =>
(containerId) =>
  kind.ready(
    { engine, containerId, sourcePath: "/", ...(kind.abilities.systemd ? { systemd: true } : {}) },
    signal,
  );

const imageMissing = (image: string, cause: PthError): PthError =>
  new PthError("IMAGE_MISSING", `Cannot provision a container: image ${image} is not on the engine`, {
    ...cause.context,
    next: [{
      terminal: `Build it: pth images build ${image}`,
      mcp: `Build it: pth_rebuild_base_images({ names: ["${image}"] })`,
    }, { terminal: "See what there is: pth images list", mcp: "See what there is: pth_preflight({})" }],
  }, { cause });

const handleOf = (
  kind: ContainerKind,
  environmentId: string,
  sessionId: string,
  image: string,
  state: DockerState,
): EnvironmentHandle => ({
  environmentId,
  sessionId,
  runtime: kind.runtime,
  tier: kind.tier,
  image,
  sourcePath: containerSourcePath,
  state: { ...state },
});

/** Makes a container of this name from one of the environment's snapshots. */
const startFrom = async (
  engine: Engine,
  kind: ContainerKind,
  handle: EnvironmentHandle,
  snapshot: string,
  name: string,
): Promise<DockerState> => {
  const old = dockerState(handle);
  const { environmentId, sessionId } = handle;
  const image = await requireSnapshot(engine, environmentId, snapshot);
  // Variables come with the snapshot's image.
  const plan = { ...old, environmentId, sessionId, image, env: {} };
  const steps = { prepare: async () => {}, ready: readyOf(engine, kind, undefined) };
  return { ...await startContainer(engine, plan, name, steps), image: old.image };
};

/** Has a container stand ready for a rollback to this snapshot; see `replacements.ts`. */
export const prepareRollback = (
  engine: Engine,
  kind: ContainerKind,
  handle: EnvironmentHandle,
  snapshot: string,
): void =>
  prepareReplacement(engine, handle, snapshot, (name) => startFrom(engine, kind, handle, snapshot, name));

/**
 * Swaps in a container that is ready; where there is none, starts a second one from the snapshot, and
 * replaces that only once it runs: a failure keeps the old.
 */
export async function rollBackContainer(
  engine: Engine,
  kind: ContainerKind,
  handle: EnvironmentHandle,
  snapshot: string,
): Promise<EnvironmentHandle> {
  const { environmentId, sessionId, image } = handle;
  try {
    const state = await replaceContainer(engine, handle, snapshot).catch(notSwapped) ??
      await replace(engine, kind, handle, snapshot);
    return handleOf(kind, environmentId, sessionId, image, state);
  } catch (error) {
    throw engineError(error, `Cannot roll back to ${snapshot}`, "ROLLBACK_FAILED");
  }
}

/** A swap leaves the old container as it was where it fails, as on a busy engine that cannot freeze one in time. */
function notSwapped(error: unknown): undefined {
  log.debug("no container was swapped in", { error: engineMessage(error) });
}

async function replace(
  engine: Engine,
  kind: ContainerKind,
  handle: EnvironmentHandle,
  snapshot: string,
): Promise<DockerState> {
  const name = containerName(handle.environmentId);
  const state = await startFrom(engine, kind, handle, snapshot, `${name}-next`);
  await removeContainer(engine, dockerState(handle).containerId);
  await engine.getContainer(state.containerId).rename({ name });
  return state;
}
