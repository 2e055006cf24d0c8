/** Slot `environment.rollback`: the environment goes back; its handle may be a new one. */
import type { EnvironmentInfo } from "../../../machines/model/session.ts";
import { type GetSession, promiseActor, withRetriedSource } from "../promise_actor.ts";

export const rollbackActor = (stage: GetSession) =>
  promiseActor<EnvironmentInfo, { environment: EnvironmentInfo; snapshot: string }>(
    stage,
    (live, { snapshot }) => {
      const environment = live.environment.require();
      const { runtime, services } = environment;
      return live.progress.step("rollback", `rolling back to ${snapshot}`, async () => {
        const goBack = () => runtime.rollback(environment.info.handle, snapshot);
        services?.expectEnd();
        const handle = await withRetriedSource(live, "rollback", goBack).catch((error) => {
          services?.stayed();
          throw error;
        });
        await services?.resume(handle);
        const info = { ...environment.info, handle, state: await runtime.inspect(handle) };
        live.environment.current = { ...environment, info };
        return info;
      });
    },
  );
