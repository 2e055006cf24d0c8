/** How many virtual processors a distribution's kernel can be given where the host only emulates them. */
import type { ImageDefinition } from "./catalogue.ts";

/** Linux 6.1 runs with two; 6.12 panics with two under QEMU's emulation, and newer ones are not trusted further. */
export const emulatedCpus = ({ folder }: Pick<ImageDefinition, "folder">): number =>
  folder === "debian12" ? 2 : 1;
