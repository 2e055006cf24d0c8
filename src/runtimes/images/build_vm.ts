/** Builds the image of a virtual machine in a new folder, and replaces the old one at the end. */
import { dirname, join } from "node:path";
import { PthError } from "../../core/errors.ts";
import {
  isNoSpace,
  listFolder,
  mkdir,
  pathExists,
  readTextFile,
  removeIfExists,
  rename,
  stat,
} from "../../platform/files.ts";
import { freeSpaceMiB } from "../../platform/append_durably.ts";
import { imageDir, uid } from "../../platform/host.ts";
import { runCommand } from "../../platform/process.ts";
import type { VmImage } from "../vm/vm_image.ts";
import type { ImageDefinition, ImageInfo } from "./catalogue.ts";
import type { BuildOptions } from "./context.ts";
import { bootstrapVm, planVmBootstrap } from "./vm_bootstrap.ts";
import {
  findVmImage,
  goldenName,
  manifestName,
  readVmImage,
  vmImageFolder,
  type VmManifest,
  writeManifest,
} from "./vm_images.ts";
import { type VmChoice, vmInputsDigest, type VmWay } from "./vm_inputs.ts";
import { packerCache, packVm, planPacker } from "./plan_packer.ts";
import type { NextStep } from "../../core/next_step.ts";
import { createHash } from "node:crypto";

/** Temporary space that a build needs: the root file system as a tar, as files and as a disk, in MiB. */
const neededMiB = 3500;

/** Way to make an image here, with the reason for people, or the reason why there is none. */
export type VmPlan =
  | { way: VmWay; reason: string; make: (folder: string, options: BuildOptions) => Promise<VmFacts> }
  | { way: undefined; reason: string; next: NextStep[] };

type VmFacts = Omit<VmManifest, "inputs">;

/** The way that was asked for, else the apt mirror where that is enough, else Packer. */
async function planVm(image: ImageDefinition, { way, from }: VmChoice = {}): Promise<VmPlan> {
  const asked = way ?? (from === undefined ? undefined : "packer");
  const reasons: string[] = [];
  const next: NextStep[] = [];
  if (asked !== "packer") {
    const plan = await planVmBootstrap(image);
    if (plan.possible) {
      return {
        way: "bootstrap",
        reason: `from the host's apt mirror with ${plan.tool}`,
        make: (folder, options) => bootstrapVm(image, plan, folder, options),
      };
    }
    reasons.push(plan.reason);
    next.push(...plan.next);
  }
  if (asked !== "bootstrap") {
    const plan = await planPacker(image, from);
    if (plan.possible) {
      return {
        way: "packer",
        reason: [...reasons, `by Packer from ${plan.cloudImage}`].join("; "),
        make: (folder, options) => packVm(image, plan, folder, options),
      };
    }
    reasons.push(plan.reason);
    next.push(...plan.next);
  }
  return { way: undefined, reason: reasons.join("; "), next };
}

/**
 * Builds an image. What was there stays until the new one is whole; its golden states go with it.
 * @throws {PthError} `IMAGE_BUILD_FAILED`, `DISK_FULL`, `NETWORK_UNAVAILABLE`; the signal's reason once aborted
 */
export async function buildVmImage(
  image: ImageDefinition,
  options: BuildOptions & VmChoice = {},
): Promise<VmImage> {
  const plan = await planVm(image, options);
  if (plan.way === undefined) {
    throw new PthError("IMAGE_BUILD_FAILED", `Cannot build image ${image.name}: ${plan.reason}`, {
      next: [...plan.next, {
        terminal: "Use an image that can be made here: pth images list",
        mcp: "Use an image that can be made here: pth_preflight({})",
      }],
    });
  }
  const { onOutput, signal } = options;
  signal?.throwIfAborted();
  onOutput?.(`building ${image.name}: ${plan.reason}\n`);
  const folder = vmImageFolder(image.name);
  const fresh = `${folder}${buildingMark}${crypto.randomUUID()}`;
  try {
    await makeRoomFor(image, fresh);
    const facts = await plan.make(fresh, options);
    await writeManifest(fresh, { ...facts, inputs: await vmInputsDigest(image, plan.way) });
    await swap(fresh, folder);
  } catch (error) {
    await removeBuilding(fresh);
    signal?.throwIfAborted();
    throw named(error, image);
  }
  return (await readVmImage(folder))!;
}

async function makeRoomFor(image: ImageDefinition, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const free = await freeSpaceMiB(folder);
  if (free >= neededMiB) return;
  throw new PthError(
    "DISK_FULL",
    `Cannot build image ${image.name}: ${free} MiB are free, ${neededMiB} are needed`,
    {
      folder: dirname(folder),
      next: ["Remove old images: pth images prune", "Build elsewhere: PTH_BASE_IMAGE_DIR"],
    },
  );
}

/** A folder does not replace one that is not empty, so the old one steps aside first. */
async function swap(fresh: string, folder: string): Promise<void> {
  const old = `${folder}${buildingMark}${crypto.randomUUID()}`;
  if (await pathExists(folder)) await rename(folder, old);
  await rename(fresh, folder);
  await removeIfExists(old);
}

/** The image's name in the words of whichever tool failed. */
function named(error: unknown, image: ImageDefinition): unknown {
  if (!(error instanceof PthError)) {
    const full = isNoSpace(error);
    const code = full ? "DISK_FULL" : "IMAGE_BUILD_FAILED";
    const state = full ? "the disk is full" : error instanceof Error ? error.message : String(error);
    return new PthError(code, `Cannot build image ${image.name}: ${state}`, {}, { cause: error });
  }
  const message = error.message.replace("Cannot build image:", `Cannot build image ${image.name}:`);
  return new PthError(error.code, message, error.context, { cause: error });
}

const buildingMark = ".building-";

/** Removes an unfinished image, also files of a user namespace, which have no owner outside of it. */
async function removeBuilding(folder: string): Promise<void> {
  try {
    await removeIfExists(folder);
  } catch (error) {
    if (uid() === 0) throw error;
    await runCommand(["unshare", "--map-root-user", "--map-auto", "rm", "-rf", folder]);
    await removeIfExists(folder);
  }
}

/** Time for which an unfinished folder may belong to a build that still runs, in ms. */
const unfinishedFor = 7_200_000;

/** Removes what killed builds left and, with `all`, the images themselves and downloads; answers the folders. */
export async function pruneVmImages(images: readonly ImageDefinition[], all: boolean): Promise<string[]> {
  const removed: string[] = [];
  for (const { name } of await listFolder(imageDir())) {
    const folder = join(imageDir(), name);
    const finished = name === packerCache || images.some((image) => image.name === name);
    const abandoned = name.includes(buildingMark) && await ageOf(folder) > unfinishedFor;
    if (!(finished ? all : abandoned)) continue;
    await removeBuilding(folder);
    removed.push(folder);
  }
  return removed;
}

const ageOf = async (folder: string): Promise<number> =>
  Date.now() - ((await stat(folder)).mtime?.getTime() ?? Date.now());

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

/** Measures the space on the disk: sparse files count by what they hold. */
async function megabytesOf(folder: string): Promise<number> {
  const { stdout } = await runCommand(["du", "-sk", folder]);
  return Math.round((parseInt(stdout, 10) * 1024) / 1e6);
}
