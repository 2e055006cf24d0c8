/** Snapshots of a sandbox: copies of its data next to it, removed with it. */
import { join } from "node:path";
import type { EnvironmentHandle } from "../../../machines/model/environment.ts";
import { PthError } from "../../core/errors.ts";
import { isNoSpace, listFolder, pathExists } from "../../platform/files.ts";
import { runCommand } from "../../platform/process.ts";
import { inNamespacesOf, removeFolder } from "./sandbox_process.ts";
import { requireRunningSandbox } from "./exec_in_sandbox.ts";
import { resetSourceState } from "../shared/source/bring_source.ts";
import { restartSandbox } from "./provision.ts";
import { sandboxFolders } from "./start_script.ts";
import { recordSandboxEvent, sandboxOf } from "./sandbox_state.ts";

const parentOf = (handle: EnvironmentHandle): string => join(sandboxOf(handle).folder, "snapshots");

export async function saveSnapshot(handle: EnvironmentHandle, tag: string): Promise<string> {
  await requireRunningSandbox(handle);
  const { life, method } = sandboxOf(handle);
  const name = `${tag.replaceAll(/[^\w.-]+/g, "-").slice(0, 60)}-${crypto.randomUUID().slice(0, 8)}`;
  const target = join(parentOf(handle), name);
  const { root, upper } = sandboxFolders(life.folder);
  const script =
    'mkdir -p "$3" && [ -e "$1" ] && cp -a --reflink=auto "$1" "$3/"; cp -a --reflink=auto "$2" "$3/"';
  const words = [
    ...inNamespacesOf(life, method.userNamespace),
    "sh",
    "-c",
    script,
    "sh",
    root,
    upper,
    target,
  ];
  const result = await runCommand(words, { cwd: "/" });
  if (result.code !== 0) {
    await removeFolder(target, method.userNamespace);
    const full = isNoSpace(result.stderr);
    const state = full ? "the disk is full" : `copying its data ended with ${result.code}`;
    throw new PthError("SNAPSHOT_FAILED", `Cannot save snapshot ${tag}: ${state}`, { output: result.stderr });
  }
  await recordSandboxEvent(handle, `snapshot ${name}`);
  return name;
}

export async function goBack(handle: EnvironmentHandle, snapshot: string): Promise<EnvironmentHandle> {
  const path = await mustExist(handle, snapshot);
  try {
    const next = await restartSandbox(handle, path);
    resetSourceState(handle.environmentId);
    await recordSandboxEvent(next, `rolled back to ${snapshot}`);
    return next;
  } catch (cause) {
    const message = `Cannot roll back to ${snapshot}: ${(cause as Error).message}`;
    throw new PthError("ROLLBACK_FAILED", message, { ...(cause as PthError).context }, { cause });
  }
}

export async function removeSandboxSnapshot(handle: EnvironmentHandle, snapshot: string): Promise<void> {
  const path = join(parentOf(handle), snapshot);
  if (isName(snapshot) && await pathExists(path)) {
    await removeFolder(path, sandboxOf(handle).method.userNamespace);
  }
}

/** A name is no path. */
const isName = (snapshot: string): boolean => /^[\w.-]+$/.test(snapshot) && !/^\.+$/.test(snapshot);

async function mustExist(handle: EnvironmentHandle, snapshot: string): Promise<string> {
  const parent = parentOf(handle);
  if (isName(snapshot) && await pathExists(join(parent, snapshot))) return join(parent, snapshot);
  const names = (await listFolder(parent)).map(({ name }) => name);
  throw new PthError(
    "NO_SUCH_SNAPSHOT",
    `Cannot find snapshot ${snapshot}: this environment has ${names.length}`,
    {
      next: names.length > 0 ? [`Take one of: ${names.join(", ")}`] : ["Save one first"],
    },
  );
}
