/** Content of a machine's handle, and the paths of its files on the host. */
import { join } from "node:path";
import type { EnvironmentHandle, EnvironmentState, Resources } from "../../../machines/model/environment.ts";
import type { Accelerator, DomainPlan } from "./domain_xml.ts";
import type { VmImage } from "./vm_image.ts";

/** `EnvironmentHandle.state` of a machine: enough for any process of the user to go on with it. */
export interface VmState {
  /** Address of the libvirt daemon that runs it. */
  uri: string;
  /** Name of the domain. */
  domain: string;
  /** Folder of its disk and console. */
  folder: string;
  /** On the host's loopback. */
  sshPort: number;
  user: string;
  privateKey: string;
  hostKey: string;
  /** Description that it was started from, and would be again. */
  plan: DomainPlan;
  /** An agent waits in it, since its golden state. */
  agentWaits?: boolean;
  /** For people: KVM or emulated, and why. */
  speed: string;
  size: VmSize;
  asked: Resources;
  /** For everything that runs inside. */
  env: Record<string, string>;
}

export const vmState = (handle: EnvironmentHandle): VmState => handle.state as unknown as VmState;

export const domainName = (environmentId: string): string => `pth-${environmentId}`;
export const diskOf = ({ folder }: Pick<VmState, "folder">): string => join(folder, "disk.qcow2");
export const consoleOf = ({ folder }: Pick<VmState, "folder">): string => join(folder, "console.log");

/** Path of the source in every machine, as in containers. */
export const guestSourcePath = "/work/plugin";
export const guestHome = "/work";

/** The host's settings as a machine of its own network sees them. Pure. */

/** QEMU's user network has the host, with what listens on its loopback, at this address. */
export const hostAddress = "10.0.2.2";

/** The machine itself, as QEMU's user network names the only one on it. */
export const guestAddress = "10.0.2.15";

/** A proxy or a registry on the host's loopback is at another address seen from inside. */
export function rewriteHostAddresses(env: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).map(([name, value]) => [
      name,
      value.replaceAll(
        /(\/\/(?:[^/@\s]*@)?)(?:localhost|127\.0\.0\.1|\[::1\])(?=[:/]|$)/g,
        `$1${hostAddress}`,
      ),
    ]),
  );
}

export interface VmSize {
  cpus: number;
  memoryMB: number;
  diskGB: number;
}

/** Without a wish: enough for an install and a build. */
const usual: VmSize = { cpus: 2, memoryMB: 1024, diskGB: 8 };

/** Least memory: with less Debian boots, but Node.js does not start in it. */
const leastMemoryMB = 384;

/**
 * A machine never gets more than was asked for, but for what it cannot do without: its image's disk, and some memory.
 * @param imageGB Size of the image's disk as a guest sees it.
 */
export function vmSize(
  asked: Resources,
  image: Pick<VmImage, "emulatedCpus">,
  accelerator: Accelerator,
  imageGB: number,
): VmSize {
  const mostCpus = accelerator === "tcg" ? image.emulatedCpus : Infinity;
  return {
    cpus: Math.max(1, Math.min(Math.floor(asked.cpus ?? usual.cpus), mostCpus)),
    memoryMB: Math.max(leastMemoryMB, Math.round(asked.memoryMB ?? usual.memoryMB)),
    diskGB: Math.max(imageGB, asked.diskGB ?? usual.diskGB),
  };
}

/** Each limit that was asked for, and whether the machine keeps within it. */
export function enforcedLimits(asked: Resources, size: VmSize): EnvironmentState["limits"] {
  const names = ["cpus", "memoryMB", "diskGB"] as const;
  return names.flatMap((name) => {
    const value = asked[name];
    return value === undefined ? [] : [{ name, value, enforced: size[name] <= value }];
  });
}
