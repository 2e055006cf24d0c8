/**
 * Slot `environment.destroy`: also waits for a provisioning that was cut short, which cleans up after itself. Other work that
 * does not end although it was asked to is not waited for without end: it goes with the environment.
 */
import type { EnvironmentInfo } from "../../../machines/model/session.ts";
import { PthError } from "../../core/errors.ts";
import { closingActor, type GetSession, withRetriedSource } from "../promise_actor.ts";
import { removeEnvironment } from "./remove_environment.ts";

export const destroy = (stage: GetSession) =>
  closingActor<void, { environment: EnvironmentInfo | undefined }>(stage, async (live) => {
    const settled = await live.tasks.settled();
    const environment = live.environment.current;
    if (!environment && settled) return;
    if (!environment) {
      const message = "Cannot give up provisioning: it has not stopped, and may leave something behind";
      live.progress.note(`${message}. pth clean removes what is left.`);
      throw new PthError("PROVISION_FAILED", message, { next: ["Remove what is left: pth clean"] });
    }
    const remove = () => removeEnvironment(environment);
    // Where the session goes on, the next environment takes what was started ahead.
    const others = live.tasks.leaving.signal.aborted ? live.environment.warm.drop() : undefined;
    await live.progress.step(
      "destroy",
      "destroying the environment",
      () => withRetriedSource(live, "destroy", remove),
    );
    await others;
    live.environment.current = undefined;
    await live.register.removed({ kind: "environment", name: environment.info.handle.environmentId });
  });
