/** What `pth images list` tells of a virtual machine's image. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { PthError } from "../../core/errors.ts";
import { pathExists, readTextFile } from "../../platform/files.ts";
import { runCommand } from "../../platform/process.ts";
import type { VmImage } from "../vm/vm_image.ts";
import { planVm } from "./build_vm.ts";
import type { ImageDefinition } from "./catalogue.ts";
import { findVmImage, goldenName, manifestName } from "./vm_images.ts";
import { vmInputsDigest } from "./vm_inputs.ts";
import type { ImageInfo } from "./image_info.ts";

/** Works without libvirt: an image is files. */
export async function describeVm(image: ImageDefinition): Promise<ImageInfo> {
  const plan = await planVm(image);
  const { name, kind, distro } = image;
  const known = { name, kind, tag: name, distro, buildable: plan.way !== undefined };
  const built = await findOrReason(name);
  if (built instanceof PthError) return { ...known, present: false, how: built.message };
  if (!built) return { ...known, present: false, how: plan.reason };
  return { ...known, present: true, ...(await factsOf(image, built)) };
}

/** A broken image is not there, and the list says why. */
async function findOrReason(name: string): Promise<VmImage | PthError | undefined> {
  try {
    return await findVmImage(name);
  } catch (error) {
    if (error instanceof PthError) return error;
    throw error;
  }
}

async function factsOf(image: ImageDefinition, built: VmImage) {
  const golden = join(built.folder, goldenName);
  const goldenMB = await pathExists(golden) ? await megabytesOf(golden) : 0;
  return {
    digest: `sha256:${
      createHash("sha256").update(await readTextFile(join(built.folder, manifestName))).digest("hex")
    }`,
    createdAt: built.builtAt,
    ageDays: Math.floor((Date.now() - Date.parse(built.builtAt)) / 86_400_000),
    sizeMB: await megabytesOf(built.folder) - goldenMB,
    stale: !await isCurrent(image, built),
    how: built.how,
    ...(goldenMB > 0 ? { goldenMB } : {}),
  };
}

/** Whether the scripts that made it are still what they were; each way has its own. */
async function isCurrent(image: ImageDefinition, { inputs, kernel }: VmImage): Promise<boolean> {
  return inputs === await vmInputsDigest(image, kernel === undefined ? "packer" : "bootstrap");
}

/** As it lies on the disk: sparse files count by what they hold. */
async function megabytesOf(folder: string): Promise<number> {
  const { stdout } = await runCommand(["du", "-sk", folder]);
  return Math.round((parseInt(stdout, 10) * 1024) / 1e6);
}
