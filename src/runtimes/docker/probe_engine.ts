/** Whether a container could be had right now. */
import { asPthError } from "../../core/errors.ts";
import { isPresent } from "../images/base.ts";
import { imageReference, isBaseImage, otherImages } from "../images/catalogue.ts";
import type { Readiness } from "../runtime.ts";
import type { ContainerKind } from "./container_kind.ts";
import { connectEngine, type Engine, requireEngine } from "./engine.ts";
import { imageFor } from "./provision_container.ts";
import type { NextStep } from "../../core/next_step.ts";

/** A base image is built by PTH; any other is the user's own, or a slip. */
const waysTo = (image: string, kind: Pick<ContainerKind, "image">): NextStep[] =>
  isBaseImage(image)
    ? [{ terminal: `pth images build ${image}`, mcp: `pth_rebuild_base_images({ names: ["${image}"] })` }]
    : [...otherImages(image, kind.image), "Or give the engine your own image: docker load, docker pull"];

/** An image that would first have to be built counts as not ready, and it says how to build it. */
export async function probeEngine(
  kind: Pick<ContainerKind, "image">,
  asked: string | undefined,
): Promise<Readiness> {
  const image = imageFor(kind, asked);
  try {
    const engine = await connectEngine();
    await requireEngine(engine);
    if (await isPresent(engine, imageReference(image))) {
      const rights = kind.image === "systemd" ? await rightsOf(engine) : "";
      return { ready: true, reason: `a container engine answers and has image ${image}${rights}` };
    }
    return {
      ready: false,
      code: "IMAGE_MISSING",
      reason: `a container engine answers, but ${
        isBaseImage(image) ? `image ${image} is not built` : `has no image ${image}`
      }`,
      next: waysTo(image, kind),
    };
  } catch (error) {
    const { message, context: { next, ...facts } } = asPthError(error, "Cannot reach the container engine");
    return { ready: false, reason: message, facts, ...(next ? { next } : {}) };
  }
}

/** What the engine says of its own rights; whether it grants them all shows only when a container starts. */
async function rightsOf(engine: Engine): Promise<string> {
  const { SecurityOptions = [] } = await engine.info() as { SecurityOptions?: string[] };
  return SecurityOptions.some((option) => /rootless/.test(option))
    ? "; it runs without root, so it grants privileges over your own things only"
    : "";
}
