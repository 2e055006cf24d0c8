/** Slot `environment.destroy`: also waits for a provisioning that was cut short, which cleans up after itself. */
import type { EnvironmentInfo } from "../../machines/model/session.ts";
import { closingActor, retried, type Stage } from "./promise_actor.ts";

export const destroy = (stage: Stage) =>
  closingActor<void, { environment: EnvironmentInfo | undefined }>(stage, async (live) => {
    await live.settled();
    const environment = live.environment;
    if (!environment) return;
    const { runtime, services, info: { handle } } = environment;
    const remove = async () => {
      // A service that cannot be removed keeps no environment.
      try {
        await services?.stop();
      } finally {
        await runtime.destroy(handle);
      }
    };
    await live.step("destroy", "destroying the environment", () => retried(live, "destroy", remove));
    live.environment = undefined;
    await live.register.removed({ kind: "environment", name: handle.environmentId });
  });
