/**
 * Provides the base of an image's Dockerfile: pulled from a registry where one answers, else made from the
 * apt mirror.
 */
import type { Readable } from "node:stream";
import type { ImageInspectInfo } from "dockerode";
import { PthError } from "../../core/errors.ts";
import { makeTempDir, removeIfExists } from "../../platform/files.ts";
import { readStream } from "../../platform/streams.ts";
import { type Engine, engineError, engineMessage, undefinedIfMissing } from "../docker/engine.ts";
import { followProgress } from "../docker/follow_progress.ts";
import { bootstrap, planBootstrap } from "./bootstrap.ts";
import type { ImageDefinition } from "./catalogue.ts";
import type { BuildOptions } from "./context.ts";
import type { NextStep } from "../../core/next_step.ts";

export interface Base {
  /** For `FROM`. */
  reference: string;
  /** For people: "registry debian:12" or "bootstrap of bookworm". */
  how: string;
}

/** Time that a registry may take to answer at all, in ms. */
const registryAnswersWithin = 10_000;

/**
 * Gets a base by the first way that works.
 * @throws {PthError} `IMAGE_BUILD_FAILED` with all that was tried
 */
export async function obtainBase(
  engine: Engine,
  image: ImageDefinition,
  buildId: string,
  options: BuildOptions,
): Promise<Base> {
  const tried: string[] = [];
  try {
    await pull(engine, image.from, options);
    return { reference: image.from, how: `registry ${image.from}` };
  } catch (error) {
    options.signal?.throwIfAborted();
    tried.push(`docker pull ${image.from}: ${engineMessage(error)}`);
    options.onOutput?.(`no registry: ${engineMessage(error)}\n`);
  }
  if (await isPresent(engine, image.from)) {
    return { reference: image.from, how: `${image.from} as it lies on the engine` };
  }
  const plan = await planBootstrap(image);
  if (!plan.possible) {
    tried.push(`bootstrap: ${plan.reason}`);
    throw notBuildable(image, tried, plan.next);
  }
  const reference = await importBootstrap(engine, image, buildId, plan, options);
  return { reference, how: `bootstrap of ${plan.suite} from the host's apt mirror` };
}

function notBuildable(image: ImageDefinition, tried: string[], next: NextStep[]): PthError {
  return new PthError(
    "IMAGE_BUILD_FAILED",
    `Cannot build image ${image.name}: no image registry responds, and no other build method is available`,
    {
      tried,
      next: [
        ...next,
        `Bring the base from a machine with a registry: docker save ${image.from} | docker load`,
        "Give the engine a registry mirror (registry-mirrors in daemon.json) and build again",
        {
          terminal: "Use an image that can be made here: pth images list",
          mcp: "Use an image that can be made here: pth_preflight({})",
        },
      ],
    },
  );
}

/** Pulls; a registry that says nothing in time counts as none. */
async function pull(engine: Engine, reference: string, options: BuildOptions): Promise<void> {
  const late = new AbortController();
  const timer = setTimeout(
    () => late.abort(new Error(`no answer within ${registryAnswersWithin / 1000} s`)),
    registryAnswersWithin,
  );
  const signal = options.signal ? AbortSignal.any([late.signal, options.signal]) : late.signal;
  try {
    const stream = await engine.pull(reference, { abortSignal: signal });
    await followProgress(stream as Readable, ({ status, id }) => {
      clearTimeout(timer);
      if (status) options.onOutput?.(`${id ? `${id}: ` : ""}${status}\n`);
    }, signal);
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** The engine's description, or undefined where it has no such image. */
export async function inspectImage(
  engine: Engine,
  reference: string,
): Promise<ImageInspectInfo | undefined> {
  try {
    return await undefinedIfMissing(engine.getImage(reference).inspect());
  } catch (error) {
    throw engineError(error, `Cannot look up image ${reference}`, "RUNTIME_UNAVAILABLE");
  }
}

export const isPresent = async (engine: Engine, reference: string): Promise<boolean> =>
  await inspectImage(engine, reference) !== undefined;

async function importBootstrap(
  engine: Engine,
  image: ImageDefinition,
  buildId: string,
  plan: Extract<Awaited<ReturnType<typeof planBootstrap>>, { possible: true }>,
  options: BuildOptions,
): Promise<string> {
  const folder = await makeTempDir({ prefix: "pth-bootstrap-" });
  try {
    const tar = await bootstrap(plan, folder, options);
    options.onOutput?.(`importing ${image.distro} into the engine\n`);
    // Untagged, and labelled so that a failed build finds it again.
    const stream = await engine.importImage(readStream(tar), {
      changes: [`LABEL pth.build=${buildId}`],
      ...(options.signal ? { abortSignal: options.signal } : {}),
    });
    let id = "";
    await followProgress(stream as Readable, ({ status }) => {
      if (status?.startsWith("sha256:")) id = status;
    }, options.signal);
    if (id === "") throw new PthError("IMAGE_BUILD_FAILED", "Cannot import base: the engine named no image");
    return id;
  } finally {
    await removeIfExists(folder);
  }
}
