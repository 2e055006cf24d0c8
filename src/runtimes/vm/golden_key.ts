/**
 * Computes the key of a golden image from everything that it depends on: if any of these changes, it is made
 * again. Pure.
 */
import { createHash } from "node:crypto";
import type { Accelerator } from "./domain_xml.ts";
import type { VmImage } from "./vm_image.ts";
import type { VmSize } from "./state.ts";

export interface GoldenInputs {
  /** Hash of the scripts with which PTH makes one. */
  recipe: string;
  image: Pick<VmImage, "name" | "inputs" | "builtAt">;
  size: VmSize;
  accelerator: Accelerator;
  /** A state that one QEMU saved is not sure to load in another: `libvirt 9.0.0, QEMU 7.2.22`. */
  hypervisor: string;
}

/** Sixteen characters that fit a file's and a machine's name. */
export function goldenKey({ recipe, image, size, accelerator, hypervisor }: GoldenInputs): string {
  const facts = [
    recipe,
    image.name,
    image.inputs,
    image.builtAt,
    size.cpus,
    size.memoryMB,
    size.diskGB,
    accelerator,
    hypervisor,
  ];
  return createHash("sha256").update(JSON.stringify(facts)).digest("hex").slice(0, 16);
}
