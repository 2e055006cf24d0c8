/** Slots of the machines that replace an environment and take it back to a snapshot. */
import { fromPromise } from "xstate";
import type { EnvironmentConfig } from "../../../machines/model/environment.ts";
import { recommendation } from "../../actors/session/recommendation.ts";
import { isTransient } from "../../diagnosis/table.ts";
import { withRetries } from "../../platform/retry.ts";
import { registry } from "../../runtimes/_registry.ts";
import { chooseRuntime } from "../../runtimes/choose_runtime.ts";
import { publicError } from "../send_request.ts";
import type { SessionParts } from "../session/session_parts.ts";
import { asNotDestroyed } from "./environment_commands.ts";
import { inheritConfig } from "./inherit_config.ts";

export const replaceSteps = (contextOf: () => SessionParts) => ({
  prepare: fromPromise<Partial<EnvironmentConfig>, { config: Partial<EnvironmentConfig>; present: boolean }>(
    async ({ input: { config, present }, signal }) => {
      const { live } = contextOf();
      const asked = {
        ...inheritConfig(live.environment.config, live.environment.tierAsked, config),
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
