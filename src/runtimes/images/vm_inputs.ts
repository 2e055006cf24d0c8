/**
 * Inputs that decide what a virtual machine's image holds, as one hash; and the tools and scripts that make
 * it.
 */
import { createHash } from "node:crypto";
import { join } from "node:path";
import {
  copyFile,
  listFolder,
  makeTempDir,
  mkdir,
  readTextFile,
  removeIfExists,
} from "../../platform/files.ts";
import type { ImageDefinition } from "./catalogue.ts";
import { type BuildOptions, carryIn, imagesFolder } from "./context.ts";
import { runCommand } from "../../platform/process.ts";

/** The two ways to make one. */
export const vmWays = ["bootstrap", "packer"] as const;
export type VmWay = typeof vmWays[number];

/** Options for the image of a virtual machine. */
export interface VmChoice {
  way?: VmWay;
  /** A disk that boots by itself, file or address, in place of the distribution's cloud image; Packer starts from it. */
  from?: string;
}

/** The repository's `packer/` folder, next to `images/`. */
export const packerFolder = async (): Promise<string> => join(await imagesFolder(), "..", "packer");

/** Settings of the way without Packer, in addition to its scripts. */
export const vmRecipe = {
  /** Small, so that a machine can be given little: its copy is enlarged to what is asked for, never made smaller. */
  diskSize: "2G",
  packages: ["linux-image-cloud-amd64", "busybox-static"],
  kernelArguments: "root=/dev/vda rw console=ttyS0 net.ifnames=0 quiet mitigations=off",
} as const;

/** Scripts of `images/` that a way uses. */
const scriptsOf: Record<VmWay, readonly string[]> = {
  bootstrap: ["packages.sh", "boot_quickly.sh", "make_initrd.sh", "make_disk.sh"],
  packer: ["packages.sh", "provision_cloud.sh"],
};

/** Hash of the scripts and templates that this way uses; a change of it makes built images stale. */
export async function vmInputsDigest(image: ImageDefinition, way: VmWay): Promise<string> {
  const images = await imagesFolder();
  const files = [join(images, "provision.sh"), ...scriptsOf[way].map((name) => join(images, "vm", name))];
  if (way === "packer") {
    const folder = await packerFolder();
    files.push(join(folder, "vm.pkr.hcl"), join(folder, `${image.folder}.pkrvars.hcl`));
  }
  const hash = createHash("sha256").update(`${image.name}\0${way}\0${image.bootstrap?.suite ?? ""}\0`);
  if (way === "bootstrap") hash.update(JSON.stringify(vmRecipe));
  for (const file of files) hash.update(await readTextFile(file)).update("\0");
  return `sha256:${hash.digest("hex")}`;
}

const script =
  'PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin; for tool; do command -v "$tool" >/dev/null || echo "$tool"; done';

export async function missingTools(tools: readonly string[]): Promise<string[]> {
  const { stdout } = await runCommand(["/bin/sh", "-c", script, "sh", ...tools]);
  return stdout.split("\n").filter((line) => line !== "");
}

/** Path of the scripts inside. */
export const scriptsFolder = "/usr/local/share/pth";

/** Makes it in a temporary folder of its own, which the caller removes. */
export async function makeScripts(options: BuildOptions): Promise<string> {
  const context = await makeTempDir({ prefix: "pth-image-" });
  try {
    const images = await imagesFolder();
    const inside = join(context, scriptsFolder);
    await mkdir(inside, { recursive: true });
    const scripts = (await listFolder(join(images, "vm"))).filter(({ isFile }) => isFile);
    for (const { name } of scripts) await copyFile(join(images, "vm", name), join(inside, name));
    await copyFile(join(images, "provision.sh"), join(inside, "provision.sh"));
    await copyFile(join(images, "host", scriptsFolder, "README.md"), join(inside, "README.md"));
    await carryIn(context, options);
    return context;
  } catch (error) {
    await removeIfExists(context);
    throw error;
  }
}
