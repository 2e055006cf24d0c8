/** Looks for errors that nobody handled in what a server wrote on stderr, call by call. */
import type { Observation } from "../../../machines/model/observation.ts";
import type { TestCase } from "../../../machines/model/test_case.ts";
import type { Finding } from "../../../machines/model/verdict.ts";
import type { Connection } from "../../client/connection.ts";
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

/** Takes note of the stderr at which a call begins: what came before is not this call's. */
export function markStderr(connection: Connection): void {
  const known = marksOf(connection);
  known.called ??= connection.stderrTail();
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
