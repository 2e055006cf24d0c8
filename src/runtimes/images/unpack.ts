/** Root file systems of base images as plain folders, for environments without an engine. */
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { PthError } from "../../errors.ts";
import { exists, mkdir, removeIfExists, rename } from "../../platform/files.ts";
import { imageDir } from "../../platform/host.ts";
import { spawnProcess } from "../../platform/process.ts";
import { collect } from "../../platform/process.ts";
import { type Engine, engineError } from "../docker/engine.ts";
import { catalogue, type ImageDefinition, tagOf } from "./catalogue.ts";
import type { BuildOptions } from "./context.ts";

const folderOf = (name: string): string => join(imageDir(), name, "rootfs");

/** Where an image's unpacked root lies, or undefined where it was not unpacked. */
export async function unpackedFolder(name: string): Promise<string | undefined> {
  const folder = folderOf(name);
  return await exists(folder) ? folder : undefined;
}

/**
 * Unpacks beside the target and swaps, so that a failure keeps what was there.
 * @throws {PthError} `IMAGE_BUILD_FAILED`; the signal's reason once aborted
 */
export async function unpackImage(
  image: ImageDefinition,
  engine: Engine | undefined,
  options: BuildOptions,
): Promise<string> {
  if (!engine) {
    throw new PthError("IMAGE_BUILD_FAILED", `Cannot unpack image ${image.name}: no engine has it`, {
      next: [`pth images build ${image.name}`],
    });
  }
  const target = folderOf(image.name);
  const fresh = `${target}.${crypto.randomUUID()}`;
  try {
    await mkdir(fresh, { recursive: true });
    await exportFrom(engine, image, fresh, options);
    await removeIfExists(target);
    await rename(fresh, target);
    return target;
  } catch (error) {
    await removeIfExists(fresh);
    options.signal?.throwIfAborted();
    throw engineError(error, `Cannot unpack image ${image.name}`, "IMAGE_BUILD_FAILED");
  }
}

/** A container that never runs gives the whole file system as one tar stream. */
async function exportFrom(engine: Engine, image: ImageDefinition, folder: string, options: BuildOptions) {
  options.onOutput?.(`unpacking ${tagOf(image.name)} into ${folder}\n`);
  const container = await engine.createContainer({
    Image: tagOf(image.name),
    Labels: { "pth.image.export": "1" },
  });
  try {
    // Device nodes need root; an environment brings its own /dev.
    const tar = await spawnProcess([
      "tar",
      "-x",
      "--numeric-owner",
      "--exclude=./dev/*",
      "--exclude=dev/*",
      "-C",
      folder,
    ]);
    const complaints = collect(tar.stderr);
    tar.stdout.resume();
    await pipeline(await container.export(), tar.stdin, options.signal ? { signal: options.signal } : {});
    const { code } = await tar.exited;
    if (code !== 0) throw new Error(`tar ended with ${code}: ${complaints.text().trim().slice(-2000)}`);
  } finally {
    await container.remove({ force: true, v: true });
  }
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
