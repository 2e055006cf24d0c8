/** Making and removing sandboxes. */
import { totalmem } from "node:os";
import { join } from "node:path";
import type { EnvironmentHandle, EnvironmentSpec } from "../../../machines/model/environment.ts";
import { errorMessage, PthError } from "../../core/errors.ts";
import { pathExists } from "../../platform/files.ts";
import { processId } from "../../platform/host.ts";
import { isUp } from "../../platform/proc.ts";
import { forgetSource } from "../shared/source/bring_source.ts";
import {
  type FolderLabel,
  makeLabelledFolder,
  stateFolder,
  writeFolderLabel,
} from "../shared/state_folder.ts";
import { labelVariables } from "../shared/label_variables.ts";
import {
  endSandboxProcess,
  generationFolder,
  leaveFolder,
  removeFolder,
  startSandboxProcess,
} from "./sandbox_process.ts";
import { affinityFor, dropGroups, type Limiter, makeLimiter, noLimiter } from "./limiter.ts";
import { sandboxSourcePath } from "./layout.ts";
import type { Method } from "./isolation_support.ts";
import { gatherMaterials, planSandbox, variablesOf } from "./plan.ts";
import type { SandboxPlan } from "./start_script.ts";
import {
  agentKey,
  beginLog,
  recordSandboxEvent,
  type Sandbox,
  sandboxOf,
  saveSandbox,
} from "./sandbox_state.ts";
import { endAgent, expectAgent } from "../shared/agent/command_agents.ts";
import { distrustMethod, workingMethod } from "./working_method.ts";
import { closeRelays } from "../network/relay.ts";
import { endEntered } from "./exec_in_sandbox.ts";

export async function provisionSandbox(
  spec: EnvironmentSpec,
  enter?: Method["enter"],
  signal?: AbortSignal,
): Promise<EnvironmentHandle> {
  signal?.throwIfAborted();
  try {
    return await makeSandbox(spec, await workingMethod(spec.image, enter), signal);
  } catch (error) {
    signal?.throwIfAborted();
    if (!await distrustMethod(spec.image, enter)) throw error;
    return await makeSandbox(spec, await workingMethod(spec.image, enter), signal);
  }
}

async function makeSandbox(
  spec: EnvironmentSpec,
  found: Method,
  signal: AbortSignal | undefined,
): Promise<EnvironmentHandle> {
  const sizeMB = sizeOf(spec);
  const method: Method = sizeMB === undefined ? found : { ...found, data: "memory" };
  const folder = join(await stateFolder("boxes"), spec.environmentId);
  let limiter = noLimiter;
  try {
    const note = {
      environmentId: spec.environmentId,
      sessionId: spec.sessionId,
      ownerPid: processId,
      outside: [],
    };
    await makeLabelledFolder(folder, note);
    await beginLog(folder);
    limiter = await limiterOf(spec, folder, note);
    const cpuWords = limiter.enforced.cpus ? [] : await affinityFor(spec.resources.cpus);
    if (cpuWords.length > 0) limiter = { ...limiter, enforced: { ...limiter.enforced, cpus: true } };
    const materials = await gatherMaterials(spec);
    const plan: SandboxPlan = {
      ...planSandbox(folder, spec, materials, method),
      ...(sizeMB !== undefined && { sizeMB }),
    };
    const life = await startSandboxProcess(
      generationFolder(folder, 1),
      plan,
      labelVariables(spec, "sandbox"),
      limiter.groups,
      signal,
    );
    const box: Sandbox = {
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
    const handle = saveSandbox(handleOf(spec, materials.layout.name), box);
    expectAgent(agentKey(handle));
    await recordSandboxEvent(handle, `provisioned: ${materials.layout.name}, ${JSON.stringify(method)}`);
    return handle;
  } catch (error) {
    await removeFolder(folder, method.userNamespace);
    await dropGroups(limiter.groups);
    signal?.throwIfAborted();
    if (error instanceof PthError && error.code !== "INTERNAL") throw error;
    throw new PthError("PROVISION_FAILED", `Cannot create sandbox: ${errorMessage(error)}`, {
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
  sourcePath: sandboxSourcePath,
  state: {},
});

/** A disk limit is a sized tmpfs, so it must fit well into the machine's memory; else it cannot be enforced. */
function sizeOf({ resources: { diskGB } }: EnvironmentSpec): number | undefined {
  if (diskGB === undefined || diskGB * 1024 ** 3 > totalmem() / 2) return undefined;
  return Math.max(1, Math.round(diskGB * 1024));
}

const groupName = ({ environmentId }: EnvironmentSpec): string => `pth-${environmentId}`;

/** The groups are noted before a process is in them, so that `pth clean` finds them too. */
async function limiterOf(spec: EnvironmentSpec, folder: string, note: FolderLabel): Promise<Limiter> {
  const limiter = await makeLimiter(groupName(spec), spec.resources);
  if (limiter.groups.length > 0) await writeFolderLabel(folder, { ...note, outside: limiter.groups });
  return limiter;
}

/**
 * A new life from saved data. The old one ends only when the new one lives, but where its data is in memory that is limited:
 * what it holds may leave no room for another.
 */
export async function restartSandbox(
  handle: EnvironmentHandle,
  snapshot: string,
): Promise<EnvironmentHandle> {
  const box = sandboxOf(handle);
  const plan = planSandbox(box.folder, box.spec, await gatherMaterials(box.spec), box.method);
  const sizeMB = box.diskEnforced ? sizeOf(box.spec) : undefined;
  const lifeNumber = box.lifeNumber + 1;
  const folder = generationFolder(box.folder, lifeNumber);
  const endFirst = box.diskEnforced && box.limiter.enforced.memory;
  try {
    if (endFirst) {
      await endLife(handle);
      await renewGroups(box);
    }
    const full = { ...plan, snapshot, ...(sizeMB !== undefined && { sizeMB }) };
    const life = await startSandboxProcess(
      folder,
      full,
      labelVariables(box.spec, "sandbox"),
      box.limiter.groups,
    );
    if (!endFirst) await endLife(handle);
    await endEntered(handle.environmentId, box.life.init);
    await removeFolder(generationFolder(box.folder, box.lifeNumber), box.method.userNamespace);
    const next = saveSandbox(handle, { ...box, life, lifeNumber });
    expectAgent(agentKey(next));
    return next;
  } catch (error) {
    await removeFolder(folder, box.method.userNamespace);
    throw error;
  }
}

/** Side by side: a stopped agent keeps the sandbox's first process from its end, and its commands are lost with that. */
async function endLife(handle: EnvironmentHandle): Promise<void> {
  await Promise.all([endSandboxProcess(sandboxOf(handle).life), endAgent(agentKey(handle))]);
}

/** The kernel lets go of a life's memory a little after its end: in new groups it does not count. */
async function renewGroups({ limiter, spec }: Sandbox): Promise<void> {
  await dropGroups(limiter.groups);
  await makeLimiter(groupName(spec), spec.resources);
}

export async function destroySandbox(handle: EnvironmentHandle): Promise<void> {
  const { folder, life, method, limiter } = sandboxOf(handle);
  await closeRelays(handle.environmentId);
  await endLife(handle);
  await endEntered(handle.environmentId, life.init);
  await dropGroups(limiter.groups);
  if (await pathExists(folder)) await leaveFolder(folder, method.userNamespace);
  forgetSource(handle.environmentId);
}

export async function sandboxStatus(handle: EnvironmentHandle): Promise<"running" | "stopped" | "gone"> {
  const { folder, life } = sandboxOf(handle);
  if (await isUp(life.init)) return "running";
  return await pathExists(folder) ? "stopped" : "gone";
}
