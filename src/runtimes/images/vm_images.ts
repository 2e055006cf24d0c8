/** The built images of virtual machines below `imageDir()`, one folder each, with `image.json` in it. */
import { join } from "node:path";
import * as z from "zod";
import { PthError } from "../../core/errors.ts";
import { pathExists, readTextIfExists, writeTextFile } from "../../platform/files.ts";
import { imageDir } from "../../platform/host.ts";
import type { VmImage } from "../vm/vm_image.ts";
import { defaultImage, imageOfKind, otherImages } from "./catalogue.ts";

export const manifestName = "image.json";
/** Golden states made from an image lie in its folder, so that a rebuilt image takes them with it. */
export const goldenName = "golden";

/** Files are named relative to the folder: a folder can be moved, or brought from another machine. */
const manifestSchema = z.strictObject({
  name: z.string(),
  disk: z.string(),
  kernel: z.string().exactOptional(),
  initrd: z.string().exactOptional(),
  kernelArguments: z.string().exactOptional(),
  emulatedCpus: z.int().min(1),
  user: z.string(),
  privateKey: z.string(),
  hostKey: z.string(),
  inputs: z.string(),
  builtAt: z.iso.datetime(),
  how: z.string(),
});

export type VmManifest = z.infer<typeof manifestSchema>;

/** Folder of an image of this name, whether it exists or not. */
export const vmImageFolder = (name: string): string => join(imageDir(), name);

/**
 * The built image that stands for what was asked: `debian12-vm`, or `debian12`, whose machine it is. Undefined where
 * it was not built.
 * @throws {PthError} `IMAGE_MISSING` where its folder holds something broken
 */
export async function findVmImage(asked: string): Promise<VmImage | undefined> {
  const definition = imageOfKind(asked, "vm");
  return definition === undefined ? undefined : await readVmImage(vmImageFolder(definition.name));
}

/** Reads what lies in a folder; undefined where there is no image in it. @throws {PthError} `IMAGE_MISSING` */
export async function readVmImage(folder: string): Promise<VmImage | undefined> {
  const text = await readTextIfExists(join(folder, manifestName));
  if (text === undefined) return undefined;
  const manifest = parseManifest(text, folder);
  const at = (file: string): string => join(folder, file);
  const { disk, kernel, initrd, privateKey, ...facts } = manifest;
  const files = {
    disk: at(disk),
    privateKey: at(privateKey),
    ...(kernel === undefined ? {} : { kernel: at(kernel) }),
    ...(initrd === undefined ? {} : { initrd: at(initrd) }),
  };
  for (const file of Object.values(files)) {
    if (!await pathExists(file)) throw broken(manifest.name, folder, `${file} is missing`);
  }
  return { folder, ...facts, ...files };
}

function parseManifest(text: string, folder: string): VmManifest {
  const file = join(folder, manifestName);
  try {
    return manifestSchema.parse(JSON.parse(text));
  } catch (error) {
    const reason = error instanceof z.ZodError ? z.prettifyError(error) : String(error);
    throw broken(folder.split("/").at(-1)!, folder, `${file} does not read: ${reason}`);
  }
}

const broken = (name: string, folder: string, reason: string): PthError =>
  new PthError("IMAGE_MISSING", `Cannot use image ${name}: ${reason}`, {
    folder,
    next: [{
      terminal: `Build it anew: pth images build ${name}`,
      mcp: `Build it anew: pth_rebuild_base_images({ names: ["${name}"] })`,
    }],
  });

/** Written last into a new folder: one without it is no image. */
export const writeManifest = (folder: string, manifest: VmManifest): Promise<void> =>
  writeTextFile(join(folder, manifestName), JSON.stringify(manifest, null, 2) + "\n");

/** The built image that stands for what was asked. @throws {PthError} `IMAGE_MISSING` */
export async function requireVmImage(asked: string = defaultImage): Promise<VmImage> {
  const found = await findVmImage(asked);
  if (found) return found;
  const known = imageOfKind(asked, "vm");
  if (known === undefined) {
    throw new PthError("IMAGE_MISSING", `Cannot create VM: no such image: ${asked}`, {
      next: [...otherImages(asked, "vm"), {
        terminal: "See what there is: pth images list",
        mcp: "See what there is: pth_preflight({})",
      }],
    });
  }
  throw new PthError("IMAGE_MISSING", `Cannot create VM: image ${known.name} is not built`, {
    next: [{
      terminal: `Build it: pth images build ${known.name}`,
      mcp: `Build it: pth_rebuild_base_images({ names: ["${known.name}"] })`,
    }, { terminal: "See what there is: pth images list", mcp: "See what there is: pth_preflight({})" }],
  });
}
