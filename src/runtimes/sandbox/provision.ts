/** Making and removing boxes. */
import { totalmem } from "node:os";
import { join } from "node:path";
import type { EnvironmentHandle, EnvironmentSpec } from "../../../machines/model/environment.ts";
import { messageOf, PthError } from "../../core/errors.ts";
import { exists } from "../../platform/files.ts";
import { pid } from "../../platform/host.ts";
import { endEntered } from "./end_entered.ts";
import { isUp } from "../../platform/proc.ts";
import { closeRelays } from "../network/relays.ts";
import { forgetSource } from "../shared/source/bring_source.ts";
import { type FolderNote, makeNotedFolder, stateFolder, writeNote } from "../shared/state_folder.ts";
import { marksOf } from "../shared/marks.ts";
import { endLife, lifeFolder, removeFolder, startLife } from "./box.ts";
import { affinityFor } from "./affinity.ts";
import { dropGroups, type Limiter, makeLimiter, noLimiter } from "./cgroup.ts";
import { sourceFolder } from "./layout.ts";
import type { Method } from "./method.ts";
import { gather, planOf, variablesOf } from "./plan.ts";
import type { BoxPlan } from "./start_script.ts";
import { beginLog, type Box, boxOf, noteEvent, withBox } from "./state.ts";
import { workingMethod } from "./working_method.ts";

export async function provisionBox(
  spec: EnvironmentSpec,
  enter?: Method["enter"],
  signal?: AbortSignal,
): Promise<EnvironmentHandle> {
  signal?.throwIfAborted();
  const found = await workingMethod(spec.image, enter);
  const sizeMB = sizeOf(spec);
  const method: Method = sizeMB === undefined ? found : { ...found, data: "memory" };
  const folder = join(await stateFolder("boxes"), spec.environmentId);
  let limiter = noLimiter;
  try {
    const note = { environmentId: spec.environmentId, sessionId: spec.sessionId, ownerPid: pid, outside: [] };
    await makeNotedFolder(folder, note);
    await beginLog(folder);
    limiter = await limiterOf(spec, folder, note);
    const cpuWords = limiter.enforced.cpus ? [] : await affinityFor(spec.resources.cpus);
    if (cpuWords.length > 0) limiter = { ...limiter, enforced: { ...limiter.enforced, cpus: true } };
    const materials = await gather(spec);
    const plan: BoxPlan = {
      ...planOf(folder, spec, materials, method),
      ...(sizeMB !== undefined && { sizeMB }),
    };
    const life = await startLife(
      lifeFolder(folder, 1),
      plan,
      marksOf(spec, "sandbox"),
      limiter.groups,
      signal,
    );
    const box: Box = {
      folder,
      lifeNumber: 1,
      life,
      method,
      spec,
      limiter,
      diskEnforced: sizeMB !== undefined,
      affinity: cpuWords,
      env: variablesOf(spec, materials),
    };
    const handle = withBox(handleOf(spec, materials.layout.name), box);
    await noteEvent(handle, `provisioned: ${materials.layout.name}, ${JSON.stringify(method)}`);
    return handle;
  } catch (error) {
    await removeFolder(folder, method.userNamespace);
    await dropGroups(limiter.groups);
    signal?.throwIfAborted();
    if (error instanceof PthError && error.code !== "INTERNAL") throw error;
    throw new PthError("PROVISION_FAILED", `Cannot make a sandbox: ${messageOf(error)}`, {
      next: ['Use another runtime: "docker" or "host"'],
    }, { cause: error });
  }
}

const handleOf = ({ environmentId, sessionId, tier }: EnvironmentSpec, image: string): EnvironmentHandle => ({
  environmentId,
  sessionId,
  runtime: "sandbox",
  tier,
  image,
  sourcePath: sourceFolder,
  state: {},
});

/** A disk limit is a sized tmpfs, so it must fit well into the machine's memory; else it cannot be enforced. */
function sizeOf({ resources: { diskGB } }: EnvironmentSpec): number | undefined {
  if (diskGB === undefined || diskGB * 1024 ** 3 > totalmem() / 2) return undefined;
  return Math.max(1, Math.round(diskGB * 1024));
}

const groupName = ({ environmentId }: EnvironmentSpec): string => `pth-${environmentId}`;

/** The groups are noted before a process is in them, so that `pth clean` finds them too. */
async function limiterOf(spec: EnvironmentSpec, folder: string, note: FolderNote): Promise<Limiter> {
  const limiter = await makeLimiter(groupName(spec), spec.resources);
  if (limiter.groups.length > 0) await writeNote(folder, { ...note, outside: limiter.groups });
  return limiter;
}

/**
 * A new life from saved data. The old one ends only when the new one lives, but where its data is in memory that is limited:
 * what it holds may leave no room for another.
 */
export async function nextLife(handle: EnvironmentHandle, snapshot: string): Promise<EnvironmentHandle> {
  const box = boxOf(handle);
  const plan = planOf(box.folder, box.spec, await gather(box.spec), box.method);
  const sizeMB = box.diskEnforced ? sizeOf(box.spec) : undefined;
  const lifeNumber = box.lifeNumber + 1;
  const folder = lifeFolder(box.folder, lifeNumber);
  const endFirst = box.diskEnforced && box.limiter.enforced.memory;
  try {
    if (endFirst) {
      await endLife(box.life);
      await renewGroups(box);
    }
    const full = { ...plan, snapshot, ...(sizeMB !== undefined && { sizeMB }) };
    const life = await startLife(folder, full, marksOf(box.spec, "sandbox"), box.limiter.groups);
    if (!endFirst) await endLife(box.life);
    await endEntered(handle.environmentId, box.life.init);
    await removeFolder(lifeFolder(box.folder, box.lifeNumber), box.method.userNamespace);
    return withBox(handle, { ...box, life, lifeNumber });
  } catch (error) {
    await removeFolder(folder, box.method.userNamespace);
    throw error;
  }
}

/** The kernel lets go of a life's memory a little after its end: in new groups it does not count. */
async function renewGroups({ limiter, spec }: Box): Promise<void> {
  await dropGroups(limiter.groups);
  await makeLimiter(groupName(spec), spec.resources);
}

export async function destroyBox(handle: EnvironmentHandle): Promise<void> {
  const { folder, life, method, limiter } = boxOf(handle);
  await closeRelays(handle.environmentId);
  await endLife(life);
  await endEntered(handle.environmentId, life.init);
  await dropGroups(limiter.groups);
  if (await exists(folder)) await removeFolder(folder, method.userNamespace);
  forgetSource(handle.environmentId);
}

export async function statusOf(handle: EnvironmentHandle): Promise<"running" | "stopped" | "gone"> {
  const { folder, life } = boxOf(handle);
  if (await isUp(life.init)) return "running";
  return await exists(folder) ? "stopped" : "gone";
}
