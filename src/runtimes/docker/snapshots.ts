/** Snapshots as images committed from a container: `pth-snapshot-<environmentId>:<tag>`. */
import { PthError } from "../../core/errors.ts";
import { type Engine, engineError, engineMessage, engineStatusCode } from "./engine.ts";
import { pauseExclusively } from "./pause_exclusively.ts";
import { containerLabels } from "./container.ts";

const repositoryOf = (environmentId: string): string => `pth-snapshot-${environmentId.toLowerCase()}`;

/** An engine's tags allow few characters: others become hyphens. */
export const snapshotImage = (environmentId: string, tag: string): string => {
  const clean = tag.trim().replace(/[^\w.-]+/g, "-").replace(/^[.-]+/, "").slice(0, 128);
  if (clean === "") {
    throw new PthError("SNAPSHOT_FAILED", `Cannot snapshot: "${tag}" has no letter or digit to name it by`);
  }
  return `${repositoryOf(environmentId)}:${clean}`;
};

/**
 * Commits the container's file system; labels and variables go with it. A tag used before is replaced.
 * @throws {PthError} `SNAPSHOT_FAILED`, `DISK_FULL`, `ENVIRONMENT_LOST`
 */
export async function snapshotContainer(
  engine: Engine,
  environmentId: string,
  containerId: string,
  tag: string,
): Promise<string> {
  const name = snapshotImage(environmentId, tag);
  const [repo, clean] = name.split(":");
  try {
    await pauseExclusively(containerId, () => engine.getContainer(containerId).commit({ repo, tag: clean }));
    return name;
  } catch (error) {
    if (/max depth exceeded/i.test(engineMessage(error))) throw tooDeep(error);
    throw engineError(error, `Cannot snapshot as ${tag}`, "SNAPSHOT_FAILED");
  }
}

const tooDeep = (cause: unknown): PthError =>
  new PthError("SNAPSHOT_FAILED", "Cannot snapshot: the engine's limit of layers is reached", {
    output: engineMessage(cause),
    next: ["Provision the environment anew: rollbacks and snapshots have piled up over a hundred layers"],
  }, { cause });

/** @returns the name by which the engine itself knows it @throws {PthError} `NO_SUCH_SNAPSHOT` */
export async function requireSnapshot(
  engine: Engine,
  environmentId: string,
  snapshot: string,
): Promise<string> {
  const known = (await snapshotsOf(engine, environmentId)).flatMap(({ names }) => names);
  const reference = known.find((name) => shortSnapshotName(name) === shortSnapshotName(snapshot));
  if (reference !== undefined) return reference;
  throw noSuchSnapshot(snapshot, known.map(shortSnapshotName));
}

/** Podman puts a registry before the name of each image, also of one that it has made itself. */
export const shortSnapshotName = (name: string): string =>
  name.replace(/^(?:localhost|docker\.io\/library)\//, "");

const noSuchSnapshot = (snapshot: string, known: string[]): PthError =>
  new PthError(
    "NO_SUCH_SNAPSHOT",
    `Cannot find snapshot ${snapshot}: this environment has none of that name`,
    {
      next: [known.length > 0 ? `Use one of: ${known.join(", ")}` : "Take a snapshot first"],
    },
  );

/** Untags it; the engine frees layers that nothing else needs. @throws {PthError} `NO_SUCH_SNAPSHOT` */
export async function removeSnapshot(engine: Engine, environmentId: string, snapshot: string): Promise<void> {
  await forceRemove(engine, await requireSnapshot(engine, environmentId, snapshot));
}

/** Removes all snapshots of an environment, also those that lost their name to a newer one. */
export async function removeSnapshots(engine: Engine, environmentId: string): Promise<void> {
  // A snapshot under another one goes only after it: newest first, again while something goes.
  for (let left = Infinity;;) {
    const found = await snapshotsOf(engine, environmentId);
    if (found.length === 0 || found.length >= left) return;
    left = found.length;
    for (const { id, names } of found) {
      for (const reference of names.length > 0 ? names : [id]) await forceRemove(engine, reference);
    }
  }
}

async function snapshotsOf(
  engine: Engine,
  environmentId: string,
): Promise<{ id: string; names: string[] }[]> {
  try {
    const images = await engine.listImages({
      filters: { label: [`${containerLabels.environment}=${environmentId}`] },
    });
    return images.map(({ Id, RepoTags }) => ({
      id: Id,
      names: (RepoTags ?? []).filter((name) => name !== "<none>:<none>"),
    }));
  } catch (error) {
    throw engineError(error, "Cannot list snapshots", "RUNTIME_UNAVAILABLE");
  }
}

async function forceRemove(engine: Engine, reference: string): Promise<void> {
  try {
    await engine.getImage(reference).remove({ force: true });
  } catch (error) {
    const status = engineStatusCode(error);
    if (status === 404 || status === 409) return; // gone, or another layer stands on it: the next round takes it
    throw engineError(error, `Cannot remove ${reference}`, "RUNTIME_UNAVAILABLE");
  }
}
