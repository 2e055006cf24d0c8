/** Slot `connection.close`: ends a server and what it left behind; also one that is already gone, or still being started. */
import type { CloseReport } from "../../../machines/model/plugin.ts";
import { PthError } from "../../core/errors.ts";
import type { Hurry } from "../../client/server_process.ts";
import { log } from "../../platform/log.ts";
import { closingActor, type GetSession } from "../promise_actor.ts";
import type { SessionResources } from "../session_resources.ts";
import { recordLateErrors } from "../tests/record_late_errors.ts";

export const closeConnection = (stage: GetSession) =>
  closingActor<CloseReport, { connectionId: string }>(stage, async (live, { connectionId }) => {
    if (!live.connections.open.has(connectionId)) await live.connections.openingOver(connectionId);
    const connection = live.connections.open.get(connectionId);
    if (!connection) {
      live.connections.forget(connectionId);
      return { how: "already-gone", waitedMs: 0, exitCode: null, orphans: [] };
    }
    try {
      recordLateErrors(live, connection);
      const graceMs = live.connections.graceMs(connection);
      const { survivors: _notJudged, ...report } = live.secrets.redact.value(
        await connection.close({ graceMs, hurry: hurryOf(live) }),
      );
      live.connections.noteEnd(connection, graceMs, report);
      for (const orphan of report.orphans) recordOrphan(live, orphan);
      recordLateErrors(live, connection, { ended: true });
      return report;
    } catch (error) {
      // The machine goes on without it: the end of the environment ends the server too.
      log.warn("Cannot end a server", { connectionId, error });
      if (error instanceof PthError && error.code === "EXEC_FAILED") recordUnseen(live, error.message);
      throw error;
    } finally {
      live.connections.forget(connectionId);
    }
  });

/**
 * Patience in ms with a server of a session that ends: its environment ends it, too, where that is isolated. On the host it
 * may have work to finish, and gets what agents give a server.
 */
const [lastGraceMs, lastGraceOnHostMs] = [100, 500];

function hurryOf({ tasks, environment }: SessionResources): Hurry {
  const isolated = environment.current?.runtime.abilities.isolated === true;
  return { signal: tasks.leaving.signal, graceMs: isolated ? lastGraceMs : lastGraceOnHostMs };
}

/** A server that leaves another command line each time would fill the report. */
const mostOrphans = 20;

/** Adds a finding of the same code if the inspection failed: a state that was not inspected is not reported as good. */
function recordUnseen({ evidence: { findings } }: SessionResources, why: string): void {
  const message = `What the server left running could not be looked for: ${why}`;
  if (findings.every((finding) => finding.message !== message)) {
    findings.push({ severity: "error", code: "orphaned-process", message });
  }
}

/** Adds the finding `orphaned-process`, once for each command line. */
export function recordOrphan({ evidence: { findings } }: SessionResources, commandLine: string): void {
  const message = `The server ended but left a process behind, which PTH ended: ${commandLine}`;
  const orphans = findings.filter(({ code }) => code === "orphaned-process");
  if (orphans.length >= mostOrphans || orphans.some((finding) => finding.message === message)) return;
  findings.push({ severity: "error", code: "orphaned-process", message });
}
