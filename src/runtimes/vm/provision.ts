/** Making and removing machines for environments. */
import { Buffer } from "node:buffer";
import { dirname, join } from "node:path";
import type { EnvironmentHandle, EnvironmentSpec } from "../../../machines/model/environment.ts";
import { asPthError, errorMessage, PthError } from "../../core/errors.ts";
import { raceAbort } from "../../core/waiting.ts";
import { copyFile, removeIfExists } from "../../platform/files.ts";
import { processId } from "../../platform/host.ts";
import { log } from "../../platform/log.ts";
import type { Hypervisor } from "../../platform/libvirt.ts";
import { definedOnly } from "../../core/values.ts";
import { carriedSettings, imageHolds } from "../shared/carried_settings.ts";
import { forgetSource } from "../shared/source/bring_source.ts";
import { makeLabelledFolder, stateFolder } from "../shared/state_folder.ts";
import { findAcceleration } from "./acceleration.ts";
import { copyDisk, diskSizeGB } from "./disk.ts";
import { goldenImagePlan, goldenState, goldenTag } from "./golden.ts";
import type { Guest } from "./guest.ts";
import { closeGuest, guestOf } from "./guests.ts";
import { hypervisor } from "./hypervisor.ts";
import { restoreVm } from "./vm_spec.ts";
import {
  consoleOf,
  diskOf,
  domainName,
  guestHome,
  guestSourcePath,
  rewriteHostAddresses,
  vmSize,
  type VmState,
  vmState,
} from "./state.ts";
import type { VmImage } from "./vm_image.ts";
import { requireVmImage } from "../images/vm_images.ts";
import { thisProcess } from "../../platform/proc.ts";

/** Starts a machine that goes on from its image's golden state. */
export async function provisionVm(
  spec: EnvironmentSpec,
  signal?: AbortSignal,
  tell?: (text: string) => void,
): Promise<EnvironmentHandle> {
  signal?.throwIfAborted();
  const image = await requireVmImage(spec.image);
  const daemon = await hypervisor();
  const folder = join(await stateFolder("vms"), spec.environmentId);
  const note = {
    environmentId: spec.environmentId,
    sessionId: spec.sessionId,
    ownerPid: processId,
    outside: [],
  };
  try {
    await makeLabelledFolder(folder, note);
    const handle = handleOf(
      spec,
      image,
      await startFromGolden(daemon, spec, image, folder, { signal, tell }),
    );
    await raceAbort(settleIn(handle, signal), signal); // a guest that is only waking up would be waited for
    signal?.throwIfAborted();
    return handle;
  } catch (error) {
    await remove(daemon, spec.environmentId, domainName(spec.environmentId), folder).catch((cause) =>
      log.warn("what is left of a machine is for pth clean", { folder, error: errorMessage(cause) })
    );
    signal?.throwIfAborted();
    throw provisionError(error, image);
  }
}

/** Makes the error of a failed provisioning; also where the machine was lost, since it was not used yet. */
function provisionError(error: unknown, image: VmImage): PthError {
  if (error instanceof PthError && error.code !== "ENVIRONMENT_LOST" && error.code !== "INTERNAL") {
    return error;
  }
  const { message, context } = asPthError(error);
  const state = errorMessage(message).replace(/^Cannot \w+ machine [^:]*: /, "");
  return new PthError("PROVISION_FAILED", `Cannot provision a VM from ${image.name}: ${state}`, {
    ...context,
    next: [{
      terminal: `Build its image again: pth images build ${image.name}`,
      mcp: `Build its image again: pth_rebuild_base_images({ names: ["${image.name}"] })`,
    }],
  }, { cause: error });
}

async function startFromGolden(
  daemon: Hypervisor,
  spec: EnvironmentSpec,
  image: VmImage,
  folder: string,
  { signal, tell }: { signal: AbortSignal | undefined; tell: ((text: string) => void) | undefined },
): Promise<VmState> {
  const { accelerator, reason } = await findAcceleration(daemon);
  const size = vmSize(spec.resources, image, accelerator, await diskSizeGB(image.disk));
  const wish = { image, size, accelerator };
  const golden = await goldenState(daemon, wish, definedOnly({ signal, onOutput: tell }));
  await copyDisk(golden.disk, diskOf({ folder }), signal);
  signal?.throwIfAborted();
  const name = domainName(spec.environmentId);
  const { environmentId, sessionId } = spec;
  const own = {
    name,
    mark: { environmentId, sessionId, owner: await thisProcess() },
    disk: diskOf({ folder }),
    console: consoleOf({ folder }),
  };
  const plan = goldenImagePlan(image, size, accelerator, own);
  const machine = await restoreVm(daemon, plan, goldenTag);
  const { user, hostKey } = image;
  // Of its own: the image may be built again, with another key.
  const privateKey = join(folder, "key");
  await copyFile(image.privateKey, privateKey);
  return {
    uri: daemon.uri,
    domain: name,
    folder,
    sshPort: machine.sshPort,
    user,
    privateKey,
    hostKey,
    plan,
    speed: reason,
    size,
    asked: spec.resources,
    env: await variablesOf(spec),
    ...(golden.agentWaits ? { agentWaits: true } : {}),
  };
}

async function variablesOf(spec: EnvironmentSpec): Promise<Record<string, string>> {
  const carried = await carriedSettings(imageHolds);
  return {
    HOME: guestHome,
    ...rewriteHostAddresses(carried.env),
    PTH_SESSION: spec.sessionId,
    PTH_ENVIRONMENT: spec.environmentId,
    ...spec.env,
  };
}

const handleOf = (spec: EnvironmentSpec, image: VmImage, state: VmState): EnvironmentHandle => ({
  environmentId: spec.environmentId,
  sessionId: spec.sessionId,
  runtime: "vm",
  tier: spec.tier,
  image: image.name,
  sourcePath: guestSourcePath,
  state: { ...state },
});

/**
 * Machines of one golden state would be twins: each gets a name and some randomness of its own. In the shell's own words,
 * as a process more costs an emulated machine a tenth of a second.
 */
const settleScript = `set -e
echo "$1" >/proc/sys/kernel/hostname
echo "$1" >/etc/hostname
hosts=
while IFS= read -r line; do case $line in 127.0.1.1*) ;; *) hosts="$hosts$line
" ;; esac; done </etc/hosts
printf '%s127.0.1.1 %s\\n' "$hosts" "$1" >/etc/hosts
printf %s "$3" >/dev/urandom
[ -d "$2" ] || mkdir -p "$2"`;

/** The first words with the guest. */
async function settleIn(
  handle: EnvironmentHandle,
  signal: AbortSignal | undefined,
): Promise<void> {
  const guest = await guestOf(handle);
  await guest.setClock();
  const randomness = Buffer.from(crypto.getRandomValues(new Uint8Array(64))).toString("hex");
  const { code, stderr } = await guest.exec(
    ["sh", "-c", settleScript, "sh", hostNameOf(handle.environmentId), handle.sourcePath, randomness],
    { cwd: "/", ...(signal ? { signal } : {}) },
  );
  if (code !== 0) throw new Error(`the guest cannot be prepared: ${stderr.trim()}`);
  await carryIn(guest);
  signal?.throwIfAborted();
}

/** At most 63 letters, digits and hyphens, and no hyphen at the end. */
const hostNameOf = (environmentId: string): string =>
  domainName(environmentId).replaceAll(/[^A-Za-z0-9-]/g, "-").slice(0, 63).replace(/-+$/, "");

async function carryIn(guest: Guest): Promise<void> {
  for (const { hostPath, envPath } of (await carriedSettings(imageHolds)).files) {
    await guest.exec(["mkdir", "-p", dirname(envPath)], { cwd: "/" });
    await guest.copyIn(hostPath, envPath);
  }
}

/** Removes the machine, its disk with all snapshots, and what this process keeps for it. */
export async function destroyVm(handle: EnvironmentHandle): Promise<void> {
  const { uri, domain, folder } = vmState(handle);
  await remove(await hypervisor(uri), handle.environmentId, domain, folder);
}

/** Ends the guest first, so that nothing waits for it any longer. */
async function remove(
  daemon: Hypervisor,
  environmentId: string,
  name: string,
  folder: string,
): Promise<void> {
  await closeGuest(environmentId);
  forgetSource(environmentId);
  await (await daemon.lookup(name))?.destroy();
  await removeIfExists(folder);
}
