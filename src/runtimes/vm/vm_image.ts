/** A built image of a virtual machine, as it lies below `imageDir()/<name>`. */

export interface VmImage {
  /** `debian12-vm`. */
  name: string;
  /** Folder of all its files. */
  folder: string;
  /** qcow2 of the root file system, or of a whole disk that boots by itself; never written to once built. */
  disk: string;
  /** Boots directly where they are given, else from the disk. */
  kernel?: string;
  initrd?: string;
  /** Arguments of that kernel. */
  kernelArguments?: string;
  /** Virtual processors that this kernel can be given where the host only emulates. */
  emulatedCpus: number;
  /** User who is logged in over SSH; may become root without a password. */
  user: string;
  /** File of the private key, readable by its owner only. */
  privateKey: string;
  /** The guest's public host key, as in `known_hosts`. */
  hostKey: string;
  /** Hash of all that decided what the image holds; a change makes it stale, and its golden state with it. */
  inputs: string;
  /** ISO time. */
  builtAt: string;
  /** For people: "bootstrap of bookworm". */
  how: string;
}
