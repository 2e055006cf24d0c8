/** Slot `connection.watch`: resolves when the server goes away by itself. */
import { fromPromise } from "xstate";
import type { ConnectionLoss } from "../../../machines/model/plugin.ts";
import type { GetSession } from "../promise_actor.ts";

export const watchConnection = (stage: GetSession) =>
  fromPromise<ConnectionLoss, { connectionId: string }>(async ({ input }) => {
    const live = stage();
    const loss = await live.connections.require(input.connectionId).lost;
    return live.secrets.redact.value(loss);
  });
