/** Makes containers for environments: labels, the source's volume, limits that hold or are said not to. */
import { posix } from "node:path";
import type { ContainerCreateOptions, ContainerInspectInfo, HostConfig } from "dockerode";
import type { EnvironmentHandle, Resources } from "../../../machines/model/environment.ts";
import { PthError } from "../../core/errors.ts";
import { type Engine, engineError, engineMessage, engineStatusCode, undefinedIfMissing } from "./engine.ts";
import { type ContainerNetwork, hostNetwork } from "./container_network.ts";
import { recordRefused, refusedBefore, type RefusedPrivilege } from "./refused_privileges.ts";
import { pidsLimit } from "../shared/limits.ts";
import { systemdHost, systemdInit, systemdStopSignal } from "../systemd/systemd_host.ts";
import type { Owner } from "../../platform/proc.ts";
import { setTimeout as sleep } from "node:timers/promises";

export const containerLabels = {
  session: "pth.session",
  environment: "pth.environment",
  /** Pid and start time of the PTH that made it, as `<pid>/<start>`. */
  owner: "pth.owner",
  /** Name of the runtime; absent means docker. */
  runtime: "pth.runtime",
} as const;

/** Path of the source in every container. */
export const containerSourcePath = "/work/plugin";
/** The home of everything that runs in a container: nothing of the host's is at this path. */
export const containerHome = posix.dirname(containerSourcePath);

export const containerName = (environmentId: string): string => `pth-${environmentId}`;

/** Specification of a container; a rollback makes a second one from the same plan and another image. */
export interface ContainerPlan {
  environmentId: string;
  sessionId: string;
  runtime: string;
  /** The engine's reference. */
  image: string;
  /** True if its first process is systemd, which gets every privilege that the engine grants. */
  systemd?: boolean;
  env: Record<string, string>;
  resources: Resources;
  network: ContainerNetwork;
  /** Value of the label `pth.owner`. */
  owner: string;
}

/** Value of the label `pth.owner`. */
export const ownerLabel = ({ pid, startTime = "" }: Owner): string => `${pid}/${startTime}`;

/** Content of a handle's `state`. */
export interface DockerState extends Omit<ContainerPlan, "environmentId" | "sessionId" | "env"> {
  containerId: string;
  /** Limits and other wishes that the engine refused, in its words. */
  refused: RefusedPrivilege[];
  /** Facts that users of the container have to know, one sentence each. */
  notes: string[];
}

export const dockerState = (handle: EnvironmentHandle): DockerState => handle.state as unknown as DockerState;

/** Options that an engine may refuse: each that it refuses is given up. */
interface Wishes {
  init: boolean;
  cpus: boolean;
  memory: boolean;
  disk: boolean;
  pids: boolean;
  bridge: boolean;
  privileged: boolean;
  allCapabilities: boolean;
}

/** Callbacks around a container's start, each with its id; a failure removes the container. */
export interface StartSteps {
  /** Between creation and start. */
  prepare(containerId: string): Promise<void>;
  /** After the start; resolves to facts that users of the container have to know. */
  ready(containerId: string): Promise<string[]>;
}

/**
 * Creates and starts a container. Failing, it leaves none behind.
 * @throws {PthError} `PROVISION_FAILED`, `IMAGE_MISSING`, `RUNTIME_UNAVAILABLE`, `DISK_FULL`
 */
export async function startContainer(
  engine: Engine,
  plan: ContainerPlan,
  name: string,
  steps: StartSteps,
  signal?: AbortSignal,
): Promise<DockerState> {
  const wishes: Wishes = {
    init: true,
    cpus: true,
    memory: true,
    disk: true,
    pids: true,
    bridge: true,
    privileged: true,
    allCapabilities: true,
  };
  const before = plan.systemd ? await refusedBefore() : [];
  const refused: DockerState["refused"] = [...before];
  for (const { name } of refused) wishes[name as keyof Wishes] = false;
  for (;;) {
    try {
      const { containerId, notes } = await tryToStart(engine, plan, name, wishes, steps, signal);
      // Only now: without them it did start, so it was they that stood in the way.
      for (const refusal of refused.slice(before.length)) {
        if (isPrivilege(refusal.name)) await recordRefused(refusal);
      }
      const { environmentId: _id, sessionId: _session, env: _env, ...kept } = plan;
      const network = wishes.bridge ? plan.network : hostNetwork("the engine has no bridge network");
      return { ...kept, network, containerId, refused, notes };
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof PthError) throw error; // the engine refused nothing
      const culprit = culpritOf(engineMessage(error), wishes, plan);
      if (!culprit) throw refusal(error, refused);
      wishes[culprit] = false;
      refused.push({ name: culprit, reason: engineMessage(error) });
    }
  }
}

/** The engine's last word, with what it refused before. */
function refusal(error: unknown, refused: DockerState["refused"]): unknown {
  const known = engineError(error, "Cannot provision a container", "PROVISION_FAILED");
  const privileges = refused.filter(({ name }) => isPrivilege(name));
  if (privileges.length === 0 || !(known instanceof PthError) || known.code !== "PROVISION_FAILED") {
    return known;
  }
  return new PthError(
    "PROVISION_FAILED",
    `${known.message}: it grants no privileges, and systemd needs some`,
    {
      ...known.context,
      tried: privileges.map(({ name, reason }) => `${name}: ${reason}`),
      next: [
        "Use an engine that runs as root and grants privileges: DOCKER_HOST=unix:///path/to.sock",
        {
          terminal: "Or a virtual machine, whose systemd needs nothing of an engine: --env vm",
          mcp:
            'Or a virtual machine, whose systemd needs nothing of an engine: pth_provision_environment({ runtime: "vm" })',
        },
      ],
    },
    { cause: error },
  );
}

const isPrivilege = (wish: string): boolean => wish === "privileged" || wish === "allCapabilities";

async function tryToStart(
  engine: Engine,
  plan: ContainerPlan,
  name: string,
  wishes: Wishes,
  steps: StartSteps,
  signal?: AbortSignal,
): Promise<{ containerId: string; notes: string[] }> {
  signal?.throwIfAborted();
  const container = await engine.createContainer(optionsOf(plan, name, wishes));
  try {
    signal?.throwIfAborted();
    await steps.prepare(container.id);
    await container.start();
    const notes = await steps.ready(container.id);
    signal?.throwIfAborted();
    return { containerId: container.id, notes };
  } catch (error) {
    await removeContainer(engine, container.id);
    throw error;
  }
}

/** Finds the option that the engine refused, if it is one that can be given up. */
function culpritOf(message: string, wishes: Wishes, plan: ContainerPlan): keyof Wishes | undefined {
  const { cpus, memoryMB, diskGB } = plan.resources;
  const cases: [keyof Wishes, boolean, RegExp][] = [
    ["disk", diskGB !== undefined, /storage-opt|storage opt|pquota|quota/i],
    ["memory", memoryMB !== undefined, /memory|memsw|swap/i],
    ["cpus", cpus !== undefined, /\bcpus?\b|nanocpus|cfs/i],
    ["pids", true, /\bpids\b/i],
    ["init", !plan.systemd, /docker-init|catatonit|init binary/i],
    ["bridge", plan.network.mode === "bridge", noBridge],
    ["privileged", plan.systemd === true, noPrivileges],
    ["allCapabilities", plan.systemd === true && !wishes.privileged, noPrivileges],
  ];
  return cases.find(([wish, asked, words]) => wishes[wish] && asked && words.test(message))?.[0];
}

/** Limits that the engine itself may not set have nothing to do with it. */
const noPrivileges = /^(?!.*rlimit).*(unable to apply caps|privileged|capabilit|operation not permitted)/is;

/** Message of an engine that has no bridge network. */
export const noBridge = /network bridge not found|could not find .*bridge/i;

/** First process for engines without an init: a shell that reaps orphans. */
const shellInit = ["sh", "-c", "trap 'exit 0' TERM; while :; do sleep 3600 & wait; done"];

function optionsOf(plan: ContainerPlan, name: string, wishes: Wishes): ContainerCreateOptions {
  return {
    name,
    Image: plan.image,
    // A host name has at most 63 characters, and no trailing hyphen.
    Hostname: containerName(plan.environmentId).slice(0, 63).replace(/-+$/, ""),
    User: "0:0",
    WorkingDir: containerSourcePath,
    Entrypoint: plan.systemd ? systemdInit : wishes.init ? ["sleep", "infinity"] : shellInit,
    Cmd: [],
    ...(plan.systemd ? { Tty: true, StopSignal: systemdStopSignal } : {}),
    Env: Object.entries(plan.env).map(([key, value]) => `${key}=${value}`),
    Labels: labelsOf(plan),
    HostConfig: {
      Init: wishes.init && !plan.systemd,
      ...(plan.systemd ? systemdHost(wishes) : {}),
      NetworkMode: wishes.bridge ? plan.network.mode : "host",
      Mounts: [sourceMount(plan)],
      ...limitsOf(plan.resources, wishes),
    },
  };
}

/** Labels of everything on the engine that belongs to an environment. */
const labelsOf = (plan: Pick<ContainerPlan, "sessionId" | "environmentId" | "owner" | "runtime">) => ({
  [containerLabels.session]: plan.sessionId,
  [containerLabels.environment]: plan.environmentId,
  [containerLabels.owner]: plan.owner,
  [containerLabels.runtime]: plan.runtime,
});

function limitsOf(
  { cpus, memoryMB, diskGB }: Resources,
  wishes: Wishes,
): ContainerCreateOptions["HostConfig"] {
  const bytes = memoryMB === undefined ? 0 : memoryMB * 1024 * 1024;
  return {
    ...(wishes.pids ? { PidsLimit: pidsLimit() } : {}),
    ...(cpus !== undefined && wishes.cpus ? { NanoCpus: Math.round(cpus * 1e9) } : {}),
    // As much swap as memory means none beyond it.
    ...(bytes > 0 && wishes.memory ? { Memory: bytes, MemorySwap: bytes } : {}),
    ...(diskGB !== undefined && wishes.disk ? { StorageOpt: { size: `${diskGB}G` } } : {}),
  };
}

/** Removes a container and what runs in it; one that is gone, or going, is no error. */
export async function removeContainer(engine: Engine, reference: string): Promise<void> {
  const container = engine.getContainer(reference);
  try {
    await container.remove({ force: true, v: true });
  } catch (error) {
    const status = engineStatusCode(error);
    if (status === 404) return;
    if (status === 409) return await waitUntilGone(engine, reference); // someone else removes it already
    throw engineError(error, `Cannot remove container ${reference}`, "RUNTIME_UNAVAILABLE");
  }
}

/** Removes all of an environment's containers, also a second one that an interrupted rollback left. */
export async function removeContainers(engine: Engine, environmentId: string): Promise<void> {
  try {
    const filters = { label: [`${containerLabels.environment}=${environmentId}`] };
    const found = await engine.listContainers({ all: true, filters });
    await Promise.all(found.map(({ Id }) => removeContainer(engine, Id)));
  } catch (error) {
    throw engineError(error, `Cannot destroy environment ${environmentId}`, "RUNTIME_UNAVAILABLE");
  }
}

/** An engine that is busy takes long to remove what lies on its disk. */
async function waitUntilGone(engine: Engine, reference: string): Promise<void> {
  for (let attempt = 0; attempt < 600; attempt++) {
    if (await inspectContainer(engine, reference) === undefined) return;
    await sleep(50);
  }
  throw new PthError("RUNTIME_UNAVAILABLE", `Cannot remove container ${reference}: the engine still has it`, {
    next: [`docker rm -f ${reference}`],
  });
}

/** The engine's description, or undefined where it has no such container. */
export async function inspectContainer(
  engine: Engine,
  reference: string,
): Promise<ContainerInspectInfo | undefined> {
  try {
    return await undefinedIfMissing(engine.getContainer(reference).inspect());
  } catch (error) {
    throw engineError(error, `Cannot inspect container ${reference}`, "RUNTIME_UNAVAILABLE");
  }
}

/** The engine makes the volume with the first container that names it. */
const sourceMount = (plan: ContainerPlan): NonNullable<HostConfig["Mounts"]>[number] => ({
  Type: "volume",
  Source: `${containerName(plan.environmentId)}-source`,
  Target: containerSourcePath,
  VolumeOptions: { NoCopy: true, Labels: labelsOf(plan), DriverConfig: { Name: "local", Options: {} } },
});

/** Time for which containers that are being removed may hold a volume, in ms. */
const heldMs = 30_000;

/** Removes the volumes of an environment once no container holds them; none is no error. */
export async function removeVolumes(engine: Engine, environmentId: string): Promise<void> {
  try {
    const filters = { label: [`${containerLabels.environment}=${environmentId}`] };
    const { Volumes } = await engine.listVolumes({ filters });
    for (const { Name } of Volumes ?? []) await removeVolume(engine, Name);
  } catch (error) {
    throw engineError(
      error,
      `Cannot remove the source of environment ${environmentId}`,
      "RUNTIME_UNAVAILABLE",
    );
  }
}

export async function removeVolume(engine: Engine, name: string): Promise<void> {
  const deadline = performance.now() + heldMs;
  for (;;) {
    try {
      return await engine.getVolume(name).remove();
    } catch (error) {
      const status = engineStatusCode(error);
      if (status === 404) return;
      // A container that was replaced is removed in the background.
      if (status !== 409 || performance.now() > deadline) throw error;
    }
    await sleep(50);
  }
}
