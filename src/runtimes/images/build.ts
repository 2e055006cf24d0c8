/** Builds one base image on the engine, and leaves nothing behind where that fails. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Readable } from "node:stream";
import { PthError } from "../../core/errors.ts";
import { removeIfExists } from "../../platform/files.ts";
import { readEnv } from "../../platform/host.ts";
import { removeContainer } from "../docker/container.ts";
import { type Engine, engineError, engineStatusCode, requireEngine } from "../docker/engine.ts";
import { chooseNetwork } from "../docker/container_network.ts";
import { followProgress } from "../docker/follow_progress.ts";
import { type Base, inspectImage, isPresent, obtainBase } from "./base.ts";
import { type ImageDefinition, imageOfKind, tagOf } from "./catalogue.ts";
import { type BuildOptions, inputsDigest, makeContext } from "./context.ts";

/** Labels of a finished image. */
export const imageLabels = {
  name: "pth.image",
  inputs: "pth.image.inputs",
  built: "pth.image.built",
  how: "pth.image.how",
  /** On every layer of one build, also of one that failed. */
  build: "pth.build",
} as const;

/**
 * Builds from fresh packages (no layer cache) and answers the new image's id; the one it replaces is removed unless
 * something still uses it.
 * @throws {PthError} `IMAGE_BUILD_FAILED`, `RUNTIME_UNAVAILABLE`, `DISK_FULL`; the signal's reason once aborted
 */
export async function buildImage(
  engine: Engine,
  image: ImageDefinition,
  options: BuildOptions = {},
): Promise<string> {
  await requireEngine(engine);
  options.signal?.throwIfAborted();
  const buildId = crypto.randomUUID();
  const before = (await inspectImage(engine, tagOf(image.name)))?.Id;
  try {
    const base = image.kind === "systemd"
      ? await containerImageOf(engine, image, options)
      : await obtainBase(engine, image, buildId, options);
    await runBuild(engine, image, base, buildId, options);
  } catch (error) {
    await removeBuild(engine, buildId);
    options.signal?.throwIfAborted();
    throw engineError(error, `Cannot build image ${image.name}`, "IMAGE_BUILD_FAILED");
  }
  const built = (await inspectImage(engine, tagOf(image.name)))?.Id;
  if (built === undefined) {
    throw new PthError("IMAGE_BUILD_FAILED", `Cannot build image ${image.name}: the engine reports no image`);
  }
  if (before !== undefined && before !== built) await removeUnused(engine, before);
  return built;
}

/** Returns the container image that a variant with systemd is based on; it is built first if it is missing. */
async function containerImageOf(
  engine: Engine,
  image: ImageDefinition,
  options: BuildOptions,
): Promise<Base> {
  const container = imageOfKind(image.name, "container")!;
  const reference = tagOf(container.name);
  if (!await isPresent(engine, reference)) {
    options.onOutput?.(
      `${image.name} stands on ${container.name}, which is not built yet: building it first\n`,
    );
    await buildImage(engine, container, options);
  }
  return { reference, how: `systemd on ${reference}` };
}

async function runBuild(
  engine: Engine,
  image: ImageDefinition,
  base: Base,
  buildId: string,
  options: BuildOptions,
): Promise<void> {
  const context = await makeContext(image, options);
  const tail: string[] = [];
  try {
    const stream = await engine.buildImage({ context: context.folder, src: context.files }, {
      t: tagOf(image.name),
      nocache: true,
      rm: true,
      forcerm: true,
      buildargs: { BASE_IMAGE: base.reference, PTH_BUILD: buildId, ...proxyArguments() },
      labels: {
        [imageLabels.name]: image.name,
        [imageLabels.inputs]: await inputsDigest(image),
        [imageLabels.built]: new Date().toISOString(),
        [imageLabels.how]: base.how,
      },
      ...(chooseNetwork(proxyArguments()).mode === "host" ? { networkmode: "host" } : {}),
      ...(options.signal ? { abortSignal: options.signal } : {}),
    });
    await followProgress(stream as Readable, ({ stream: text }) => {
      if (text === undefined) return;
      options.onOutput?.(text);
      if (tail.push(text) > 60) tail.shift();
    }, options.signal);
  } catch (error) {
    throw withOutput(error, image.name, tail.join(""));
  } finally {
    await removeIfExists(context.folder);
  }
}

/** A step's failure, with what it printed last. */
function withOutput(error: unknown, name: string, output: string): unknown {
  const known = engineError(error, `Cannot build image ${name}`, "IMAGE_BUILD_FAILED");
  if (!(known instanceof PthError) || known.code !== "IMAGE_BUILD_FAILED" || output === "") return known;
  const { context } = known;
  return new PthError(
    known.code,
    known.message,
    { ...context, output: `${output}\n${context.output ?? ""}` },
    {
      cause: error,
    },
  );
}

const proxyVariables = ["HTTP_PROXY", "HTTPS_PROXY", "FTP_PROXY", "NO_PROXY"];

/** The engine predefines these arguments: they hold during the build and are not kept in the image. */
function proxyArguments(): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of [...proxyVariables, ...proxyVariables.map((name) => name.toLowerCase())]) {
    const value = readEnv(name);
    if (value) found[name] = value;
  }
  return found;
}

/** Removes every layer of a build that failed; the engine may need a moment to let go of its last container. */
async function removeBuild(engine: Engine, buildId: string): Promise<void> {
  const filters = { label: [`${imageLabels.build}=${buildId}`] };
  for (let attempt = 0; attempt < 20; attempt++) {
    const containers = await engine.listContainers({ all: true, filters });
    for (const { Id } of containers) await removeContainer(engine, Id);
    const images = await engine.listImages({ all: true, filters: { label: filters.label } });
    if (images.length === 0 && containers.length === 0) return;
    for (const { Id } of images) await removeUnused(engine, Id);
    await sleep(100);
  }
}

/** Removes an image unless something needs it; answers whether it is gone. */
export async function removeUnused(engine: Engine, id: string): Promise<boolean> {
  try {
    await engine.getImage(id).remove();
    return true;
  } catch (error) {
    const status = engineStatusCode(error);
    if (status === 404) return true;
    if (status === 409) return false; // a container or a newer image uses it
    throw engineError(error, `Cannot remove image ${id}`, "RUNTIME_UNAVAILABLE");
  }
}
