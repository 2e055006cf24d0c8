/** What a handle of a machine holds, and where its things lie on the host. */
import { join } from "node:path";
import type { EnvironmentHandle, Resources } from "../../../machines/model/environment.ts";
import type { MachinePlan } from "./domain_xml.ts";
import type { MachineSize } from "./size.ts";

/** `EnvironmentHandle.state` of a machine: enough for any process of the user to go on with it. */
export interface VmState {
  /** Of the libvirt daemon that runs it. */
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
  /** What it was started from, and would be again. */
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

/** Where the source lies in every machine, as in containers. */
export const guestSourcePath = "/work/plugin";
export const guestHome = "/work";
