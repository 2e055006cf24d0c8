/** Files and folders in and out of a container, as tar streams through the engine. */
import { posix } from "node:path";
import type { Readable } from "node:stream";
import { PthError } from "../../core/errors.ts";
import type { CopyLimits } from "../../../machines/model/environment_operations.ts";
import { packFile, packForEnvironment } from "../shared/pack_for_environment.ts";
import { unpackTo } from "../shared/unpack.ts";
import { type Engine, engineError } from "./engine.ts";
import type { ContainerExec } from "./exec.ts";
import { execInContainer } from "./exec_in_container.ts";
import { stoppable } from "../shared/copy_limits.ts";

/** A file or a folder's contents, owned by root inside; missing parents are made. @throws {PthError} `COPY_FAILED` */
export async function copyInto(
  inside: ContainerExec,
  hostPath: string,
  envPath: string,
  signal?: AbortSignal,
): Promise<void> {
  const action = `Cannot copy ${hostPath} to ${envPath}`;
  const { archive, folder } = await packForEnvironment(hostPath, envPath, action);
  const made = await execInContainer(inside, ["mkdir", "-p", "--", folder], { cwd: "/" });
  if (made.code !== 0) throw new PthError("COPY_FAILED", `${action}: ${made.stderr.trim()}`);
  try {
    const options = { path: folder, ...(signal ? { abortSignal: signal } : {}) };
    const sent = inside.engine.getContainer(inside.containerId).putArchive(archive, options);
    await stoppable(sent, signal, () => archive.destroy());
  } catch (error) {
    throw copyError(error, action);
  }
}

/** A tar archive into a folder that is there. @throws {PthError} `COPY_FAILED` */
export async function unpackInto(inside: ContainerExec, archive: Readable, envPath: string): Promise<void> {
  try {
    await inside.engine.getContainer(inside.containerId).putArchive(archive, { path: envPath });
  } catch (error) {
    throw copyError(error, `Cannot unpack the source at ${envPath}`);
  }
}

/** A file into a container that does not run yet. */
export async function putFile(
  engine: Engine,
  containerId: string,
  hostPath: string,
  envPath: string,
): Promise<void> {
  const stream = packFile(hostPath, posix.relative("/", envPath));
  await engine.getContainer(containerId).putArchive(stream, { path: "/" });
}

/** A file, or a folder whose contents join what the target holds. @throws {PthError} `COPY_FAILED` */
export async function copyOutOf(
  inside: ContainerExec,
  envPath: string,
  hostPath: string,
  limits: CopyLimits = {},
): Promise<void> {
  const action = `Cannot copy ${envPath} to ${hostPath}`;
  try {
    const archive = await inside.engine.getContainer(inside.containerId).getArchive({ path: envPath });
    await unpackTo(archive, hostPath, { action, ...limits });
  } catch (error) {
    throw copyError(error, action);
  }
}

/** A missing path is the copy's failure; a missing container is not. */
function copyError(error: unknown, action: string): unknown {
  const known = engineError(error, action, "COPY_FAILED");
  return known instanceof PthError && known.code === "IMAGE_MISSING"
    ? new PthError("COPY_FAILED", known.message, known.context)
    : known;
}
