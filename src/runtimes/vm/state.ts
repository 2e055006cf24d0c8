/** Content of a machine's handle, and the paths of its files on the host. */
import { join } from "node:path";
import type { EnvironmentHandle, Resources } from "../../../machines/model/environment.ts";
import type { MachinePlan } from "./domain_xml.ts";
import type { MachineSize } from "./size.ts";

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
  plan: MachinePlan;
  /** An agent waits in it, since its golden state. */
  agentWaits?: boolean;
  /** For people: KVM or emulated, and why. */
  speed: string;
  size: MachineSize;
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
