/** Slot `connection.close`: ends a server and what it left behind; also one that is already gone. */
import type { CloseReport } from "../../../machines/model/plugin.ts";
import { PthError } from "../../core/errors.ts";
import { log } from "../../platform/log.ts";
import { recordOrphan, recordUnseen } from "./record_orphan.ts";
import { closingActor, type GetSession } from "../promise_actor.ts";

export const closeConnection = (stage: GetSession) =>
  closingActor<CloseReport, { connectionId: string }>(stage, async (live, { connectionId }) => {
    const connection = live.connections.open.get(connectionId);
    if (!connection) {
      return { how: "already-gone", waitedMs: 0, exitCode: null, orphans: [] };
    }
    try {
      const report = live.secrets.redact.value(await connection.close());
      for (const orphan of report.orphans) recordOrphan(live, orphan);
      return report;
    } catch (error) {
      // The machine goes on without it: the end of the environment ends the server too.
      log.warn("Cannot end a server", { connectionId, error });
      if (error instanceof PthError && error.code === "EXEC_FAILED") recordUnseen(live, error.message);
      throw error;
    } finally {
      live.connections.open.delete(connectionId);
    }
  });
