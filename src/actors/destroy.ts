/** Slot `environment.destroy`: also waits for a provisioning that was cut short, which cleans up after itself. */
import type { EnvironmentInfo } from "../../machines/model/session.ts";
import { closingActor, retried, type Stage } from "./promise_actor.ts";
import { removeEnvironment } from "./remove_environment.ts";

export const destroy = (stage: Stage) =>
  closingActor<void, { environment: EnvironmentInfo | undefined }>(stage, async (live) => {
    await live.settled();
    const environment = live.environment;
    if (!environment) return;
    const remove = () => removeEnvironment(environment);
    await live.step("destroy", "destroying the environment", () => retried(live, "destroy", remove));
    live.environment = undefined;
    await live.register.removed({ kind: "environment", name: environment.info.handle.environmentId });
  });
