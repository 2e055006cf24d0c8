/** Records unhandled errors that are reported after the last test on a connection. */
import type { Connection } from "../../client/connection.ts";
import { delay } from "../../core/waiting.ts";
import { answersPing } from "../connection/ping.ts";
import type { SessionResources } from "../session_resources.ts";
import { lastUnhandledErrors, stderrLagMs, wasCalled } from "./new_unhandled_errors.ts";

/** Limit in ms for a ping: what a server wrote before it answers one is there by then. */
const pingMs = 500;

/** Records what stderr tells since the last test; where the server was ended meanwhile, as its own. */
export function recordLateErrors(
  { evidence, secrets }: SessionResources,
  connection: Connection,
  { ended = false } = {},
): void {
  for (const { finding, testId = finding.tool ?? "" } of lastUnhandledErrors(connection, { ended })) {
    // The first of a test, as a verdict shows only one of a tool.
    if (!evidence.late.has(testId)) evidence.late.set(testId, secrets.redact.value(finding));
  }
}

/** Records what is under way on the connections that stay open after a suite. */
export async function recordErrorsUnderWay(live: SessionResources): Promise<void> {
  await Promise.all(
    [...live.connections.open.values()].filter(wasCalled).map(async (connection) => {
      if (await answersPing(connection, pingMs)) await delay(stderrLagMs);
      recordLateErrors(live, connection);
    }),
  );
}
