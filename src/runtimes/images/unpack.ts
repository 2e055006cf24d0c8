/** Root file systems of base images as plain folders, for environments without an engine. */
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { PthError } from "../../core/errors.ts";
import {
  isNoSpace,
  mkdir,
  pathExists,
  removeEmptyFolder,
  removeIfExists,
  rename,
  writeTextFile,
} from "../../platform/files.ts";
import { imageDir } from "../../platform/host.ts";
import { collect, spawnProcess } from "../../platform/process.ts";
import { type Engine, engineError } from "../docker/engine.ts";
import { catalogue, type ImageDefinition, tagOf } from "./catalogue.ts";
import { planBootstrap } from "./bootstrap.ts";
import { type BuildOptions, makeContext, runOrFail } from "./context.ts";

const folderOf = (name: string): string => join(imageDir(), name, "rootfs");

/** Folder of an image's unpacked root; undefined if it was not unpacked. */
export async function unpackedFolder(name: string): Promise<string | undefined> {
  const folder = folderOf(name);
  return await pathExists(folder) ? folder : undefined;
}

/**
 * Unpacks into a new folder and swaps, so that a failure keeps the old one. Without an engine the image is
 * made from the host's apt mirror, by the same `provision.sh`.
 * @throws {PthError} `IMAGE_BUILD_FAILED`; the signal's reason once aborted
 */
export async function unpackImage(
  image: ImageDefinition,
  engine: Engine | undefined,
  options: BuildOptions,
): Promise<string> {
  const target = folderOf(image.name);
  const fresh = `${target}.${crypto.randomUUID()}`;
  try {
    // Not what lies in it: that becomes the root folder inside, and a folder of images may be shared on purpose.
    await mkdir(imageDir(), { recursive: true, mode: 0o700 });
    await mkdir(fresh, { recursive: true });
    if (engine) await exportFrom(engine, image, fresh, options);
    else await makeWithoutEngine(image, fresh, options);
    await removeIfExists(target);
    await rename(fresh, target);
    return target;
  } catch (error) {
    await removeIfExists(fresh);
    await removeEmptyFolder(dirname(target));
    options.signal?.throwIfAborted();
    throw engineError(error, `Cannot unpack image ${image.name}`, "IMAGE_BUILD_FAILED");
  }
}

/** mmdebstrap runs the build's steps itself, as root or in a user namespace; its tar is unpacked as this user's. */
async function makeWithoutEngine(
  image: ImageDefinition,
  folder: string,
  options: BuildOptions,
): Promise<void> {
  const plan = await planBootstrap(image);
  if (!plan.possible || plan.tool !== "mmdebstrap") {
    const reason = plan.possible ? "mmdebstrap is not installed" : plan.reason;
    throw new PthError("IMAGE_BUILD_FAILED", `Cannot make image ${image.name} without an engine: ${reason}`, {
      next: ["Set this host up: scripts/setup-host.sh", {
        terminal: `Or, with an engine: pth images build ${image.name}`,
        mcp: `Or, with an engine: pth_rebuild_base_images({ names: ["${image.name}"] })`,
      }],
    });
  }
  const { folder: context } = await makeContext(image, options);
  try {
    const list = join(context, "sources.list");
    const tar = join(context, "root.tar");
    await writeTextFile(list, plan.lines.join("\n") + "\n");
    const hooks = [
      `sync-in ${context}/host /`,
      `copy-in ${context}/provision.sh /usr/local/share/pth`,
      'chroot "$1" sh /usr/local/share/pth/provision.sh',
    ].map((hook) => `--customize-hook=${hook}`);
    const command = [
      "mmdebstrap",
      "--variant=minbase",
      "--include=ca-certificates",
      ...hooks,
      plan.suite,
      tar,
      list,
    ];
    await runOrFail(command, options);
    await runOrFail(["tar", ...unpackOptions, "-C", folder, "-f", tar], options);
  } finally {
    await removeIfExists(context);
  }
}

/** Device nodes need root; an environment brings its own /dev. */
const unpackOptions = ["-x", "--numeric-owner", "--exclude=./dev/*", "--exclude=dev/*"];

/** A container that never runs gives the whole file system as one tar stream. */
async function exportFrom(engine: Engine, image: ImageDefinition, folder: string, options: BuildOptions) {
  options.onOutput?.(`unpacking ${tagOf(image.name)} into ${folder}\n`);
  const container = await engine.createContainer({
    Image: tagOf(image.name),
    Labels: { "pth.image.export": "1" },
  });
  try {
    const tar = await spawnProcess(["tar", ...unpackOptions, "-C", folder]);
    const complaints = collect(tar.stderr);
    tar.stdout.resume();
    const mayStop = options.signal ? { signal: options.signal } : {};
    let gone = false;
    void tar.ended.then(() => gone = true);
    await pipeline(await container.export(), tar.stdin, mayStop).catch((error: unknown) => {
      // A tar that went first tells itself why.
      if (!gone && (error as { code?: string }).code !== "EPIPE") throw error;
    });
    const { code, signal } = await tar.exited;
    if (code !== 0) throw tarFailed(image, code ?? signal, complaints.text().trim());
  } finally {
    await container.remove({ force: true, v: true });
  }
}

function tarFailed({ name }: ImageDefinition, end: unknown, output: string): PthError {
  const full = isNoSpace(output);
  const state = full ? "the disk is full" : `tar ended with ${end}`;
  return new PthError(full ? "DISK_FULL" : "IMAGE_BUILD_FAILED", `Cannot unpack image ${name}: ${state}`, {
    output: output.slice(-2000),
    ...(full ? { next: ["Make room in PTH_BASE_IMAGE_DIR"] } : {}),
  });
}

/** Removes every unpacked root; answers the folders. */
export async function removeUnpacked(): Promise<string[]> {
  const removed: string[] = [];
  for (const { name } of catalogue) {
    const folder = await unpackedFolder(name);
    if (!folder) continue;
    await removeIfExists(folder);
    removed.push(folder);
  }
  return removed;
}
