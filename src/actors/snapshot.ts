/** Slot `environment.snapshot`. */
import type { EnvironmentInfo } from "../../machines/model/session.ts";
import { promiseActor, type Stage } from "./promise_actor.ts";

export const snapshot = (stage: Stage) =>
  promiseActor<string, { environment: EnvironmentInfo; tag: string }>(stage, (live, { tag }) => {
    const { runtime, info } = live.requireEnvironment();
    return live.step("snapshot", `saving snapshot ${tag}`, () => runtime.snapshot(info.handle, tag));
  });
