/** Computes a machine's size: the requested resources, fitted to the image and to how machines run here. Pure. */
import type { EnvironmentState, Resources } from "../../../machines/model/environment.ts";
import type { Accelerator } from "./domain_xml.ts";
import type { VmImage } from "./vm_image.ts";

export interface MachineSize {
  cpus: number;
  memoryMB: number;
  diskGB: number;
}

/** Without a wish: enough for an install and a build. */
const usual: MachineSize = { cpus: 2, memoryMB: 1024, diskGB: 8 };
/** Least memory: with less Debian boots, but Node.js does not start in it. */
const leastMemoryMB = 384;

/**
 * A machine never gets more than was asked for, but for what it cannot do without: its image's disk, and some memory.
 * @param imageGB Size of the image's disk as a guest sees it.
 */
export function machineSize(
  asked: Resources,
  image: Pick<VmImage, "emulatedCpus">,
  accelerator: Accelerator,
  imageGB: number,
): MachineSize {
  const mostCpus = accelerator === "tcg" ? image.emulatedCpus : Infinity;
  return {
    cpus: Math.max(1, Math.min(Math.floor(asked.cpus ?? usual.cpus), mostCpus)),
    memoryMB: Math.max(leastMemoryMB, Math.round(asked.memoryMB ?? usual.memoryMB)),
    diskGB: Math.max(imageGB, asked.diskGB ?? usual.diskGB),
  };
}

/** Each limit that was asked for, and whether the machine keeps within it. */
export function enforcedLimits(asked: Resources, size: MachineSize): EnvironmentState["limits"] {
  const names = ["cpus", "memoryMB", "diskGB"] as const;
  return names.flatMap((name) => {
    const value = asked[name];
    return value === undefined ? [] : [{ name, value, enforced: size[name] <= value }];
  });
}
