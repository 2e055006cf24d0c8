/** What an environment on the bare host consists of: a scratch folder, and processes that carry its name. */
import { join } from "node:path";
import type { EnvironmentHandle, EnvironmentSpec } from "../../../machines/model/environment.ts";
import { messageOf, PthError } from "../../core/errors.ts";
import { exists, mkdir, removeIfExists } from "../../platform/files.ts";
import { pid } from "../../platform/host.ts";
import { marksOf } from "../shared/marks.ts";
import { makeNotedFolder, stateFolder } from "../shared/state_folder.ts";
import { hostVariables } from "./variables.ts";

export interface Place {
  scratch: string;
  env: Record<string, string>;
}

export const placeOf = (handle: EnvironmentHandle): Place => handle.state as unknown as Place;

/** Kind of state folder that holds the scratch folders of a runtime on the host. */
export const hostFolders = (runtime: string): `hosts${string}` =>
  runtime === "host" ? "hosts" : `hosts-${runtime}`;

export async function makePlace(
  runtime: string,
  spec: EnvironmentSpec,
  signal?: AbortSignal,
): Promise<EnvironmentHandle> {
  signal?.throwIfAborted();
  const { environmentId, sessionId, tier } = spec;
  const scratch = join(await stateFolder(hostFolders(runtime)), environmentId);
  try {
    await makeNotedFolder(scratch, { environmentId, sessionId, ownerPid: pid, outside: [] });
    await mkdir(join(scratch, "home"), { recursive: true });
    const sourcePath = join(scratch, "source");
    await mkdir(sourcePath);
    const variables = await hostVariables(join(scratch, "home"));
    const env = { ...variables, ...spec.env, ...marksOf(spec, runtime) };
    signal?.throwIfAborted();
    const state = { scratch, env, resources: spec.resources };
    return { environmentId, sessionId, runtime, tier, image: "the host itself", sourcePath, state };
  } catch (error) {
    await removeIfExists(scratch);
    signal?.throwIfAborted();
    throw new PthError("PROVISION_FAILED", `Cannot make an environment on the host: ${messageOf(error)}`, {
      next: ["See that the folder for temporary files can be written, and has room"],
    }, { cause: error });
  }
}

/** @throws {PthError} `ENVIRONMENT_LOST` once it was destroyed */
export async function mustLive(handle: EnvironmentHandle): Promise<Place> {
  const place = placeOf(handle);
  if (await exists(place.scratch)) return place;
  throw new PthError("ENVIRONMENT_LOST", `Cannot use environment ${handle.environmentId}: it was destroyed`, {
    next: ["Provision a new environment"],
  });
}
