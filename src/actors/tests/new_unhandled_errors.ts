/** Looks for unhandled errors in the stderr of a server, call by call. */
import type { Observation } from "../../../machines/model/observation.ts";
import type { TestCase } from "../../../machines/model/test_case.ts";
import type { Finding } from "../../../machines/model/verdict.ts";
import type { Connection } from "../../client/connection.ts";
import { delay } from "../../core/waiting.ts";
import { newText } from "../../testing/evidence/failure_evidence.ts";
import { findingOfUnhandled, unhandledError } from "../../testing/judge/unhandled_error.ts";

interface Marks {
  /** Stderr when the latest test was judged, and that test. */
  judged: string;
  test: TestCase | undefined;
  /** Stderr when the first call after it began. */
  called: string | undefined;
}

const marks = new WeakMap<Connection, Marks>();

const marksOf = (connection: Connection): Marks => {
  const known = marks.get(connection) ?? { judged: "", test: undefined, called: undefined };
  marks.set(connection, known);
  return known;
};

/** Limit in ms for stderr to follow the answer that it belongs to, and most times that this is waited for. */
const [lagMs, mostWaits] = [10, 50];
const waits = new WeakMap<Connection, number>();

/**
 * Takes note of the stderr at which a call of a tool begins: what came before is not this call's. Before another tool's first
 * call, what is still under way of the last one's gets a moment.
 */
export async function markStderr(connection: Connection, tool: string): Promise<void> {
  const known = marksOf(connection);
  if (known.called !== undefined) return;
  const waited = waits.get(connection) ?? 0;
  if (known.test !== undefined && known.test.tool !== tool && waited < mostWaits) {
    waits.set(connection, waited + 1);
    await delay(lagMs);
  }
  known.called = connection.stderrTail();
}

/**
 * Findings about stderr since the last test on this connection: what came before this test's call is the former tool's, or the
 * start's. A call that was not answered is judged by its test, which shows stderr.
 */
export function newUnhandledErrors(
  connection: Connection | undefined,
  test: TestCase,
  { outcome, steps }: Pick<Observation, "outcome" | "steps">,
): Finding[] {
  if (!connection) return [];
  const { judged, test: before, called } = marksOf(connection);
  const now = connection.stderrTail();
  marks.set(connection, { judged: now, test, called: undefined });
  if (now === judged) return [];
  const late = unhandledError(newText(judged, called ?? now), before?.input);
  const own = called === undefined || (outcome ?? steps) === undefined || outcome?.isError === true
    ? undefined
    : unhandledError(newText(called, now), test.input);
  return [
    ...(late === undefined ? [] : [findingOfUnhandled(late, before?.tool, true)]),
    ...(own === undefined ? [] : [findingOfUnhandled(own, test.tool, false)]),
  ];
}
