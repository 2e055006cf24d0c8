/** Slot `environment.snapshot`. */
import type { EnvironmentInfo } from "../../../machines/model/session.ts";
import { type GetSession, promiseActor, withRetriedSource } from "../promise_actor.ts";

export const snapshot = (stage: GetSession) =>
  promiseActor<string, { environment: EnvironmentInfo; tag: string }>(stage, async (live, { tag }) => {
    const { runtime, info } = live.environment.require();
    const save = () => withRetriedSource(live, "snapshot", () => runtime.snapshot(info.handle, tag));
    const name = await live.progress.step("snapshot", `saving snapshot ${tag}`, save);
    live.snapshots.taken.set(name, {
      tag,
      takenAt: new Date().toISOString(),
      environment: live.environment.count,
    });
    return name;
  });
