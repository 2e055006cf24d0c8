/** Takes over parts of an environment's configuration into the environment that replaces it. */
import type { EnvironmentConfig, Tier } from "../../../machines/model/environment.ts";
import { registry } from "../../runtimes/_registry.ts";
import { imageFolder } from "../../runtimes/images/catalogue.ts";

/**
 * All but what the new request makes wrong. A runtime belongs to its tier. In another tier the base images' distribution is
 * there, too; an image of the user's own, and any in another runtime of the same tier, seldom is.
 * @param tierAsked whether the previous tier was given; one that was chosen is chosen anew
 */
export function inheritConfig(
  previous: EnvironmentConfig | undefined,
  tierAsked: boolean,
  { runtime, tier }: Partial<EnvironmentConfig>,
): Partial<EnvironmentConfig> {
  if (previous === undefined) return {};
  const { runtime: runtimeBefore, tier: tierBefore, baseImage, ...kept } = previous;
  const otherRuntime = runtime !== undefined && runtime !== runtimeBefore;
  const otherTier = (tier ?? tierOf(runtime) ?? tierBefore) !== tierBefore;
  const image = otherTier ? folderOf(baseImage) : otherRuntime ? undefined : baseImage;
  return {
    ...kept,
    ...(otherTier ? {} : { runtime: runtimeBefore }),
    ...(otherRuntime || !tierAsked ? {} : { tier: tierBefore }),
    ...(image === undefined ? {} : { baseImage: image }),
  };
}

const tierOf = (runtime: string | undefined): Tier | undefined =>
  registry.find(({ name }) => name === runtime)?.tiers[0];

const folderOf = (image: string | undefined): string | undefined =>
  image === undefined ? undefined : imageFolder(image);
