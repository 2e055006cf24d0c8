/** Looks for unhandled errors in the stderr of a server, call by call. */
import type { CallOutcome } from "../../../machines/model/plugin.ts";
import type { TestCase } from "../../../machines/model/test_case.ts";
import type { Finding } from "../../../machines/model/verdict.ts";
import type { Connection } from "../../client/connection.ts";
import { delay } from "../../core/waiting.ts";
import { newText } from "../../testing/evidence/failure_evidence.ts";
import {
  findingOfUnhandled,
  type ReportMoment,
  unhandledError,
} from "../../testing/judge/unhandled_error.ts";

type Answer = Pick<CallOutcome, "isError" | "text" | "code">;

interface Call {
  tool: string;
  input: Record<string, unknown>;
  /** Absent until it is answered, and where it never was. */
  answer?: Answer;
  /** When it was answered, by the clock of `performance`. */
  answeredAt?: number;
  /** Test that made it, once that was judged. */
  testId?: string;
}

/** Stderr of a connection, as far as it was looked at. */
interface Reading {
  read: string;
  /** The call since which stderr is its own, until its test is judged or another call begins. */
  current: Call | undefined;
  /** The latest call before it that reached code of a tool: what comes late is that one's. */
  last: Call | undefined;
  /** Findings that were not reported yet. */
  found: LateFinding[];
}

/** Finding with the test whose call it belongs to; without a test the call was made outside of any. */
export interface LateFinding {
  finding: Finding;
  testId: string | undefined;
}

const readings = new WeakMap<Connection, Reading>();

function readingOf(connection: Connection): Reading {
  const known = readings.get(connection) ?? { read: "", current: undefined, last: undefined, found: [] };
  readings.set(connection, known);
  return known;
}

/** Limit in ms for stderr to follow the answer that it belongs to, and most times that this is waited for. */
export const stderrLagMs = 10;
const mostWaits = 50;
const waits = new WeakMap<Connection, number>();

/**
 * Takes note that a call begins: what came on stderr before is not this call's. Before a call of another tool what is still
 * under way of the last one's gets a moment from its answer on. Returns what is to be told its answer.
 */
export async function markCall(
  connection: Connection,
  tool: string,
  input: Record<string, unknown>,
): Promise<(answer: Answer) => void> {
  const reading = readingOf(connection);
  const before = reading.current ?? reading.last;
  const waited = waits.get(connection) ?? 0;
  if (before !== undefined && before.tool !== tool && waited < mostWaits) {
    waits.set(connection, waited + 1);
    const sinceMs = before.answeredAt === undefined ? 0 : performance.now() - before.answeredAt;
    // At least a turn: what has come already is read in it.
    await delay(Math.max(1, Math.ceil(stderrLagMs - sinceMs)));
  }
  settle(connection, reading);
  const call: Call = { tool, input };
  reading.current = call;
  return (answer) => {
    call.answer = answer;
    call.answeredAt = performance.now();
  };
}

/**
 * Findings about stderr since the last test on this connection: what came before the first call of this one is the former
 * call's, or the start's. A call that was refused or not answered is judged by its test, which shows stderr.
 */
export function newUnhandledErrors(connection: Connection | undefined, { id }: TestCase): Finding[] {
  if (!connection) return [];
  const reading = readingOf(connection);
  settle(connection, reading);
  if (reading.last !== undefined) reading.last.testId ??= id;
  return reading.found.splice(0).map(({ finding }) => finding);
}

/**
 * Findings about stderr since the last test on a connection on which tools were called, and no test follows any more.
 * @param ended whether the server was ended meanwhile: then what it wrote is not laid on a tool
 */
export function lastUnhandledErrors(connection: Connection, { ended }: { ended: boolean }): LateFinding[] {
  const reading = readings.get(connection);
  if (reading === undefined) return [];
  const { last, current } = reading;
  if (!ended) settle(connection, reading);
  else {
    const called = current ?? last;
    // A call that was under way at the end was cut short by it.
    if (called?.answer !== undefined) {
      const report = unhandledError(freshText(connection, reading), called.input);
      if (report !== undefined) {
        reading.found.push({ finding: findingOfUnhandled(report, undefined, "end"), testId: called.testId });
      }
    }
  }
  return reading.found.splice(0);
}

/** Whether tools were called on a connection. */
export const wasCalled = (connection: Connection): boolean => {
  const { last, current } = readings.get(connection) ?? {};
  return (current ?? last) !== undefined;
};

/** Looks at what stderr gained, and closes the current call. */
function settle(connection: Connection, reading: Reading): void {
  const { current, last } = reading;
  const text = freshText(connection, reading);
  const reached = current !== undefined && !isRefusedUnseen(current.answer);
  if (reached) {
    reading.last = current;
    if (current.answer?.isError === false) tell(reading, text, current, "call");
  } else {tell(
      reading,
      text,
      last,
      last === undefined ? "start" : last.answer === undefined ? "call" : "after",
    );}
  reading.current = undefined;
}

function freshText(connection: Connection, reading: Reading): string {
  const now = connection.stderrTail();
  const text = newText(reading.read, now);
  reading.read = now;
  return text;
}

function tell(
  { found }: Reading,
  text: string,
  call: Call | undefined,
  moment: ReportMoment,
): void {
  const report = text === "" ? undefined : unhandledError(text, call?.input);
  if (report === undefined) return;
  found.push({ finding: findingOfUnhandled(report, call?.tool, moment), testId: call?.testId });
}

/** Whether a call was refused for its input before any code of the tool ran: what came meanwhile is another's. */
const isRefusedUnseen = (answer: Answer | undefined): boolean =>
  answer?.isError === true &&
  (answer.code === -32602 || /^\s*(?:MCP error -32602\b|Input validation error\b)/.test(answer.text));
