/** Slot `test.ping`: whether a server that let a test time out still answers at all. */
import { PthError } from "../../core/errors.ts";
import { type GetSession, promiseActor } from "../promise_actor.ts";

export const ping = (stage: GetSession) =>
  promiseActor<boolean, { connectionId: string; timeoutMs: number }>(
    stage,
    async (live, { connectionId, timeoutMs }) => {
      try {
        await live.connections.require(connectionId).ping(timeoutMs);
        return true;
      } catch (error) {
        if (
          error instanceof PthError && (error.code === "SERVER_SILENT" || error.code === "SERVER_LOST")
        ) return false;
        throw error;
      }
    },
  );
