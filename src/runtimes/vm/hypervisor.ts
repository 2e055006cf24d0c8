/** The libvirt daemon that this process talks to; connected when the first machine is wanted. */
import { readEnv, uid } from "../../platform/host.ts";
import type { Hypervisor } from "../../platform/libvirt.ts";

/** `PTH_LIBVIRT_URI`, else the machine's daemon for root and the user's own for everybody else. */
export const libvirtUri = (): string =>
  readEnv("PTH_LIBVIRT_URI") || (uid() === 0 ? "qemu:///system" : "qemu:///session");

const connections = new Map<string, Promise<Hypervisor>>();

/** @throws {PthError} `RUNTIME_UNAVAILABLE` where libvirt is not installed or does not answer */
export function hypervisor(uri: string = libvirtUri()): Promise<Hypervisor> {
  let connecting = connections.get(uri);
  if (connecting === undefined) {
    // Loaded here: `pth --help` has no use for a C library.
    connecting = import("../../platform/libvirt.ts").then(({ Hypervisor }) => Hypervisor.open(uri));
    connections.set(uri, connecting);
    connecting.catch(() => connections.delete(uri)); // it may answer the next time
  }
  return connecting;
}
