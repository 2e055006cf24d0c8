/** Snapshots of a box: copies of its data beside it, gone with it. */
import { join } from "node:path";
import type { EnvironmentHandle } from "../../../machines/model/environment.ts";
import { PthError } from "../../core/errors.ts";
import { entriesOf, exists, isNoSpace } from "../../platform/files.ts";
import { run } from "../../platform/process.ts";
import { besideKeeper, removeFolder } from "./box.ts";
import { mustLive } from "./enter.ts";
import { sourceWentBack } from "../shared/source/bring_source.ts";
import { nextLife } from "./provision.ts";
import { partsOf } from "./start_script.ts";
import { boxOf, noteEvent } from "./state.ts";

const parentOf = (handle: EnvironmentHandle): string => join(boxOf(handle).folder, "snapshots");

export async function saveSnapshot(handle: EnvironmentHandle, tag: string): Promise<string> {
  await mustLive(handle);
  const { life, method } = boxOf(handle);
  const name = `${tag.replaceAll(/[^\w.-]+/g, "-").slice(0, 60)}-${crypto.randomUUID().slice(0, 8)}`;
  const target = join(parentOf(handle), name);
  const { root, upper } = partsOf(life.folder);
  const script =
    'mkdir -p "$3" && [ -e "$1" ] && cp -a --reflink=auto "$1" "$3/"; cp -a --reflink=auto "$2" "$3/"';
  const words = [...besideKeeper(life, method.userNamespace), "sh", "-c", script, "sh", root, upper, target];
  const result = await run(words, { cwd: "/" });
  if (result.code !== 0) {
    await removeFolder(target, method.userNamespace);
    const full = isNoSpace(result.stderr);
    const state = full ? "the disk is full" : `copying its data ended with ${result.code}`;
    throw new PthError("SNAPSHOT_FAILED", `Cannot save snapshot ${tag}: ${state}`, { output: result.stderr });
  }
  await noteEvent(handle, `snapshot ${name}`);
  return name;
}

export async function goBack(handle: EnvironmentHandle, snapshot: string): Promise<EnvironmentHandle> {
  const path = await mustExist(handle, snapshot);
  try {
    const next = await nextLife(handle, path);
    sourceWentBack(handle.environmentId);
    await noteEvent(next, `rolled back to ${snapshot}`);
    return next;
  } catch (cause) {
    const message = `Cannot roll back to ${snapshot}: ${(cause as Error).message}`;
    throw new PthError("ROLLBACK_FAILED", message, { ...(cause as PthError).context }, { cause });
  }
}

export async function forgetSnapshot(handle: EnvironmentHandle, snapshot: string): Promise<void> {
  const path = join(parentOf(handle), snapshot);
  if (isName(snapshot) && await exists(path)) await removeFolder(path, boxOf(handle).method.userNamespace);
}

/** A name is no path. */
const isName = (snapshot: string): boolean => /^[\w.-]+$/.test(snapshot) && !/^\.+$/.test(snapshot);

async function mustExist(handle: EnvironmentHandle, snapshot: string): Promise<string> {
  const parent = parentOf(handle);
  if (isName(snapshot) && await exists(join(parent, snapshot))) return join(parent, snapshot);
  const names = (await entriesOf(parent)).map(({ name }) => name);
  throw new PthError(
    "NO_SUCH_SNAPSHOT",
    `Cannot find snapshot ${snapshot}: this environment has ${names.length}`,
    {
      next: names.length > 0 ? [`Take one of: ${names.join(", ")}`] : ["Save one first"],
    },
  );
}
