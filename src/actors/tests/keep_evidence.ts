/** Stores a test's messages and stderr for diagnosis and details while its connection still exists. */
import type { Observation } from "../../../machines/model/observation.ts";
import type { TestCase } from "../../../machines/model/test_case.ts";
import type { JudgeInput } from "../../../machines/test_machine.ts";
import type { Connection } from "../../client/connection.ts";
import { exchangeOf, newText } from "../../testing/evidence/failure_evidence.ts";
import type { SessionResources } from "../session_resources.ts";
import type { Verdict } from "../../../machines/model/verdict.ts";
import type { Exchange } from "../../client/capture.ts";

/** Stderr of each connection when its previous test was judged. */
const read = new WeakMap<Connection, string>();
/** Limit for stderr to follow the answer that it explains, in ms. */
const stderrLagMs = 5;

/** The last message before a test of several steps began. */
const begun = new WeakMap<Connection, Exchange | undefined>();

/** Marks the start of a test in a connection's traffic. */
export const beginTest = (connection: Connection): void =>
  void begun.set(connection, connection.exchanges().at(-1));

function messagesOf(
  connection: Connection | undefined,
  { tool, control, steps }: TestCase,
  { setupFailure }: Observation,
): Exchange[] {
  const all = connection?.exchanges() ?? [];
  if (setupFailure !== undefined) return [];
  if (steps === undefined) return exchangeOf(all, tool, control !== undefined);
  const mark = connection && begun.get(connection);
  return all.slice(mark === undefined ? 0 : all.lastIndexOf(mark) + 1);
}

/**
 * The connection is the test's own, also one that was lost just now. What a test said that did not fail is kept for whoever
 * asks, within bounds of its own.
 */
export async function keepEvidence(
  live: SessionResources,
  { planned: { test }, observation }: JudgeInput,
  connection: Connection | undefined,
  strayOutput: string[],
  verdict: Verdict,
): Promise<void> {
  const failed = verdict.status === "failed";
  const { loss } = observation;
  if (failed && connection && !loss) await new Promise((resolve) => setTimeout(resolve, stderrLagMs));
  const before = (connection && read.get(connection)) ?? "";
  const evidence = live.secrets.redact.value({
    exchange: messagesOf(connection, test, observation),
    stderr: newText(before, connection?.stderrTail() ?? loss?.stderrTail ?? ""),
    strayOutput,
    commands: [...(observation.steps ?? []).flatMap(({ commands }) => commands), ...observation.commands].map(
      ({ command: { exec, expect }, result }) => ({
        exec,
        expect,
        code: result.code,
        stdout: result.stdout,
        stderr: result.stderr,
      }),
    ),
  });
  if (failed) live.evidence.failures.keep(test.id, evidence);
  else live.evidence.captures.keep(test.id, evidence);
  if (connection) read.set(connection, connection.stderrTail());
}

/** Checks have a connection to themselves: all that was said on it is theirs. */
export function keepEvidenceOfCheck(live: SessionResources, testId: string, connection: Connection): void {
  const { value } = live.secrets.redact;
  live.evidence.failures.keep(
    testId,
    value({
      exchange: [...connection.exchanges()],
      stderr: connection.stderrTail(),
      strayOutput: connection.strayOutput(),
      commands: [],
    }),
  );
}
