/** Slot `test.ping`: whether a server that let a test time out still answers at all. */
import type { Connection } from "../../client/connection.ts";
import { PthError } from "../../core/errors.ts";
import { type GetSession, promiseActor } from "../promise_actor.ts";

export const ping = (stage: GetSession) =>
  promiseActor<boolean, { connectionId: string; timeoutMs: number }>(
    stage,
    async (live, { connectionId, timeoutMs }) =>
      await answersPing(live.connections.require(connectionId), timeoutMs),
  );

/** False for a server that is silent for so long, or gone. */
export async function answersPing(connection: Connection, timeoutMs: number): Promise<boolean> {
  try {
    await connection.ping(timeoutMs);
    return true;
  } catch (error) {
    if (error instanceof PthError && ["SERVER_SILENT", "SERVER_LOST"].includes(error.code)) return false;
    throw error;
  }
}
