/**
 * The store of base images: what there is, how old it is, and how to make it.
 * `pth images list|build|prune` and `pth_rebuild_base_images` stand on it.
 */
import type { ImageInspectInfo } from "dockerode";
import { PthError } from "../core/errors.ts";
import { connectEngine, type Engine, engineOrError } from "./docker/engine.ts";
import { shortSnapshotName } from "./docker/snapshots.ts";
import { inspectImage, isPresent } from "./images/base.ts";
import { planBootstrap } from "./images/bootstrap.ts";
import { buildImage, imageLabels, removeUnused } from "./images/build.ts";
import { buildVmImage, describeVm, pruneVmImages } from "./images/build_vm.ts";
import { catalogue, type ImageDefinition, type ImageInfo, resolveImage, tagOf } from "./images/catalogue.ts";
import { type BuildOptions, inputsDigest } from "./images/context.ts";
import { removeUnpacked, unpackedFolder, unpackImage } from "./images/unpack.ts";
import type { VmChoice } from "./images/vm_inputs.ts";
export { defaultImage, resolveImage, tagOf } from "./images/catalogue.ts";
export type { BuildOptions } from "./images/context.ts";
export { type VmWay, vmWays } from "./images/vm_inputs.ts";

/** Every image of the catalogue, built or not. Works without an engine too: nothing is present then. */
export async function listImages(): Promise<ImageInfo[]> {
  const engine = await engineOrError();
  return await Promise.all(
    catalogue.map((image) => image.kind === "vm" ? describeVm(image) : describe(image, engine)),
  );
}

async function describe(image: ImageDefinition, engine: Engine | PthError): Promise<ImageInfo> {
  const unpacked = await unpackedFolder(image.name);
  const known = {
    name: image.name,
    kind: image.kind,
    tag: tagOf(image.name),
    distro: image.distro,
    ...(unpacked ? { unpacked } : {}),
  };
  const plan = await planBootstrap(image);
  const stands = image.kind === "systemd" ? tagOf(image.folder) : undefined;
  const standsReady = stands !== undefined && !(engine instanceof PthError) &&
    await isPresent(engine, stands);
  const buildable = plan.possible || standsReady;
  if (engine instanceof PthError) {
    return { ...known, present: false, unknown: true, buildable, how: engine.message };
  }
  const built = await inspectImage(engine, tagOf(image.name));
  if (built) return { ...known, ...(await agesOf(image, built)), present: true, buildable };
  const how = stands !== undefined && buildable
    ? `systemd on ${stands}${standsReady ? "" : ", which is built first"}`
    : plan.possible
    ? `from a registry (${image.from}), else from the host's apt mirror with ${plan.tool}`
    : `from a registry only (${image.from}): ${plan.reason}`;
  return { ...known, present: false, buildable, how };
}

async function agesOf(image: ImageDefinition, built: ImageInspectInfo) {
  const labels: Record<string, string> = built.Config.Labels ?? {};
  const createdAt = labels[imageLabels.built] ?? built.Created;
  return {
    digest: built.Id,
    createdAt,
    ageDays: Math.floor((Date.now() - Date.parse(createdAt)) / 86_400_000),
    sizeMB: Math.round(built.Size / 1e6),
    stale: labels[imageLabels.inputs] !== await inputsDigest(image),
    how: labels[imageLabels.how] ?? "by hand",
  };
}

/**
 * Builds an image, also one that exists; of a virtual machine in the requested way, else the first that works
 * here.
 * @throws {PthError} `INVALID_INPUT` for an unknown name, `IMAGE_BUILD_FAILED`, `RUNTIME_UNAVAILABLE`,
 * `DISK_FULL`, `NETWORK_UNAVAILABLE`
 */
export async function buildBaseImage(
  name: string,
  options: BuildOptions & VmChoice = {},
): Promise<ImageInfo> {
  const image = resolveImage(name);
  if (image.kind === "vm") {
    await buildVmImage(image, options);
    return await describeVm(image);
  }
  if (options.way ?? options.from) {
    throw new PthError(
      "INVALID_INPUT",
      `Cannot build image ${image.name} with this option: it is not a VM image`,
      {
        next: [{
          terminal: `pth images build ${image.name}`,
          mcp: `pth_rebuild_base_images({ names: ["${image.name}"] })`,
        }, `For the machine, with the same options: ${image.folder}-vm`],
      },
    );
  }
  const engine = await connectEngine();
  await buildImage(engine, image, options);
  return await describe(image, engine);
}

/**
 * Unpacks an image's root file system into `imageDir()/<name>/rootfs` for the sandbox, and answers that folder.
 * Taken from the engine where it has the image, else made without an engine.
 * @throws {PthError} `IMAGE_BUILD_FAILED`
 */
export async function unpackBaseImage(name: string, options: BuildOptions = {}): Promise<string> {
  const image = resolveImage(name);
  if (image.kind !== "container") {
    const what = image.kind === "vm"
      ? "the disk of a machine"
      : "for containers with systemd, not for sandboxes";
    throw new PthError("INVALID_INPUT", `Cannot unpack image ${image.name}: it is ${what}`, {
      next: [`pth images unpack ${image.folder}`],
    });
  }
  const engine = await engineOrError();
  const ready = !(engine instanceof PthError) && await isPresent(engine, tagOf(image.name));
  return await unpackImage(image, ready ? engine : undefined, options);
}

export interface PruneReport {
  removed: string[];
  /** Images that something still uses. */
  inUse: string[];
  /** Parts that could not be looked at, and why. */
  skipped?: string;
}

/** Time for which an unfinished layer may belong to a build that still runs, in ms. */
const unfinishedFor = 3_600_000;

/**
 * Removes what newer builds replaced and what broken ones left; with `all`, also the base images themselves and
 * their unpacked folders. Without an engine its images are left out, and the report says so.
 */
export async function pruneImages({ all = false } = {}): Promise<PruneReport> {
  const report: PruneReport = { removed: [], inUse: [] };
  const engine = await engineOrError();
  if (engine instanceof PthError) report.skipped = `images of the container engine: ${engine.message}`;
  else await pruneEngine(engine, report, all);
  report.removed.push(...await pruneVmImages(catalogue.filter(({ kind }) => kind === "vm"), all));
  if (all) report.removed.push(...(await removeUnpacked()));
  return report;
}

async function pruneEngine(engine: Engine, report: PruneReport, all: boolean): Promise<void> {
  const filters = { label: [imageLabels.build] };
  for (const { Id, RepoTags, Created, Labels } of await engine.listImages({ filters })) {
    const tag = RepoTags?.find((name) => name !== "<none>:<none>");
    const isBase = tag !== undefined && shortSnapshotName(tag).startsWith("pth-base-");
    const finished = Labels?.[imageLabels.name] !== undefined;
    const abandoned = finished || Date.now() - Created * 1000 > unfinishedFor;
    if (tag === undefined ? !abandoned : !(all && isBase)) continue;
    const gone = await removeUnused(engine, tag ?? Id);
    (gone ? report.removed : report.inUse).push(tag ?? Id);
  }
}
