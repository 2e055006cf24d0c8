/** Environment on the bare host: a scratch folder, and processes that carry its name. */
import { join } from "node:path";
import type { EnvironmentHandle, EnvironmentSpec } from "../../../machines/model/environment.ts";
import { errorMessage, PthError } from "../../core/errors.ts";
import { mkdir, pathExists, removeIfExists } from "../../platform/files.ts";
import { allEnv, processId } from "../../platform/host.ts";
import { labelVariables } from "../shared/label_variables.ts";
import { makeLabelledFolder, stateFolder } from "../shared/state_folder.ts";
import { homedir } from "node:os";
import { carriedSettings } from "../shared/carried_settings.ts";

export interface HostEnvironment {
  scratch: string;
  env: Record<string, string>;
}

export const placeOf = (handle: EnvironmentHandle): HostEnvironment =>
  handle.state as unknown as HostEnvironment;

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
    await makeLabelledFolder(scratch, { environmentId, sessionId, ownerPid: processId, outside: [] });
    await mkdir(join(scratch, "home"), { recursive: true });
    const sourcePath = join(scratch, "source");
    await mkdir(sourcePath);
    const variables = await hostVariables(join(scratch, "home"));
    const env = { ...variables, ...spec.env, ...labelVariables(spec, runtime) };
    signal?.throwIfAborted();
    const state = { scratch, env, resources: spec.resources };
    return { environmentId, sessionId, runtime, tier, image: "the host itself", sourcePath, state };
  } catch (error) {
    await removeIfExists(scratch);
    signal?.throwIfAborted();
    throw new PthError("PROVISION_FAILED", `Cannot make an environment on the host: ${errorMessage(error)}`, {
      next: ["See that the folder for temporary files can be written, and has room"],
    }, { cause: error });
  }
}

/** @throws {PthError} `ENVIRONMENT_LOST` once it was destroyed */
export async function requireHostEnvironment(handle: EnvironmentHandle): Promise<HostEnvironment> {
  const place = placeOf(handle);
  if (await pathExists(place.scratch)) return place;
  throw new PthError("ENVIRONMENT_LOST", `Cannot use environment ${handle.environmentId}: it was destroyed`, {
    next: ["Provision a new environment"],
  });
}

const names = ["PATH", "USER", "LOGNAME", "SHELL", "TERM", "TMPDIR", "JAVA_HOME", "GOROOT", "VIRTUAL_ENV"];

/**
 * Default folders of toolchains below the user's home; since HOME is a scratch folder, variables have to name
 * them.
 */
const toolHomes = {
  PYENV_ROOT: ".pyenv",
  RUSTUP_HOME: ".rustup",
  NVM_DIR: ".nvm",
  VOLTA_HOME: ".volta",
  ASDF_DATA_DIR: ".asdf",
};

async function hostVariables(home: string): Promise<Record<string, string>> {
  const host = allEnv();
  const env = (await carriedSettings(() => true)).env;
  for (const name of names) if (host[name] !== undefined) env[name] = host[name];
  for (const [name, folder] of Object.entries(toolHomes)) {
    const path = host[name] ?? join(homedir(), folder);
    if (await pathExists(path)) env[name] = path;
  }
  return { ...env, HOME: home };
}
