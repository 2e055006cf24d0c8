/** Slots of the machines that replace an environment and take it back to a snapshot. */
import { fromPromise } from "xstate";
import type { EnvironmentConfig, Tier } from "../../../machines/model/environment.ts";
import { recommendation } from "../../actors/session/recommendation.ts";
import { isTransient } from "../../diagnosis/table.ts";
import { withRetries } from "../../platform/retry.ts";
import { registry } from "../../runtimes/_registry.ts";
import { chooseRuntime } from "../../runtimes/choose_runtime.ts";
import { publicError } from "../send_request.ts";
import type { SessionParts } from "../session/session_parts.ts";
import { asNotDestroyed } from "./environment_commands.ts";
import { imageFolder } from "../../runtimes/images/catalogue.ts";

export const replaceSteps = (contextOf: () => SessionParts) => ({
  prepare: fromPromise<Partial<EnvironmentConfig>, { config: Partial<EnvironmentConfig>; present: boolean }>(
    async ({ input: { config, present }, signal }) => {
      const { live, actor } = contextOf();
      const { config: previous, tierAsked } = actor.getSnapshot().context.provisioned;
      const asked = {
        ...inheritConfig(previous, tierAsked, config),
        ...config,
      };
      // A replacement that is not available must not cost the present environment.
      if (present) {
        await withRetries(() => chooseRuntime(registry, asked, () => recommendation(live)), {
          retries: live.limits.retries,
          isTransient,
          onRetry: live.progress.messages("provision"),
          signal,
        });
      }
      return asked;
    },
  ),
  noteAbandoned: fromPromise<void, { error: unknown }>(({ input: { error } }) => {
    contextOf().live.environment.abandon(asNotDestroyed(publicError(error)));
    return Promise.resolve();
  }),
});

export const restoreSteps = (contextOf: () => SessionParts) => ({
  noteRecovery: fromPromise<void, { error: unknown }>(({ input: { error } }) => {
    contextOf().live.progress.note(`${publicError(error).message}. A new environment takes its place.`);
    return Promise.resolve();
  }),
});

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
