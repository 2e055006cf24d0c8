/**
 * Tests that run once more, alone and on a fresh server, before they are judged: those whose server could not start beside
 * other instances of the plugin (a lock, a database that one process holds), and those that may have met a crash that
 * another tool left behind.
 */
import type { PlannedTest } from "../model/observation.ts";
import { withNote } from "../test/test_setup.ts";
import {
  type EarlierTest,
  earlierTest,
  failedAfterEarlier,
  isCrash,
  laidOnEarlier,
  mayBeLeftBehind,
} from "./left_behind.ts";
import type { PendingTest } from "./pending_test.ts";

interface HeldTest {
  fact: PendingTest;
  /** Test that the server ran before, where it may have left a crash behind. */
  after?: EarlierTest;
}

export interface AloneState {
  /** Checks wait until no test runs, as a server could not start. */
  isOn: boolean;
  /** Ends that do not count, by the test's place; they count after all where a server does not start alone either. */
  held: Record<number, HeldTest>;
  /** A server did not start alone either: that others run does not matter. */
  isUseless: boolean;
  /** Latest test of each server, by connection. */
  served: Record<string, EarlierTest>;
  /** Tools whose tests ended the server by themselves. */
  crashed: string[];
}

export const noneAlone: AloneState = { isOn: false, held: {}, isUseless: false, served: {}, crashed: [] };

/** Most tests that wait for a fresh server after a crash. */
const mostCrashes = 8;

const suffix = "-alone";
export const aloneActor = (place: number) => `test-${place}${suffix}`;
export const runsAlone = (actor: string) => actor.endsWith(suffix);

/** True for a test that had no server to call. */
export const isUnstarted = ({ verdict, observation, connectionId }: PendingTest) =>
  verdict.status === "failed" && observation.callError !== undefined && connectionId === undefined;

interface AfterEnd {
  alone: AloneState;
  /** The end does not count, as the test will run once more: "crash" is a failure until then, "start" is none. */
  held?: "start" | "crash";
  /** The end as it is reported. */
  fact: PendingTest;
  /** Ends that were held and count after all. */
  released: PendingTest[];
}

/** With the end of a test, whose actor was `actor`. */
export function afterEnd(
  alone: AloneState,
  actor: string,
  place: number,
  planned: PlannedTest,
  fact: PendingTest,
): AfterEnd {
  if (runsAlone(actor)) return afterRepetition(alone, place, planned, fact);
  const next = withServed(alone, planned, fact);
  const hold = (held: HeldTest, changes: Partial<AloneState> = {}) => ({
    ...next,
    ...changes,
    held: { ...alone.held, [place]: held },
  });
  if (isUnstarted(fact) && !alone.isUseless) {
    return { alone: hold({ fact }, { isOn: true }), held: "start", fact, released: [] };
  }
  const after = fact.connectionId === undefined ? undefined : alone.served[fact.connectionId];
  const waiting = Object.values(alone.held).filter((held) => held.after !== undefined).length;
  if (after !== undefined && waiting < mostCrashes && mayBeLeftBehind(planned, fact, after)) {
    return { alone: hold({ fact, after }), held: "crash", fact, released: [] };
  }
  const { tool } = planned.test;
  const crashed = isCrash(fact) && tool !== undefined && !alone.crashed.includes(tool)
    ? [...alone.crashed, tool]
    : alone.crashed;
  return { alone: { ...next, crashed }, fact, released: [] };
}

function withServed(alone: AloneState, planned: PlannedTest, { connectionId }: PendingTest): AloneState {
  if (connectionId === undefined) return alone;
  return { ...alone, served: { ...alone.served, [connectionId]: earlierTest(planned) } };
}

function afterRepetition(
  alone: AloneState,
  place: number,
  planned: PlannedTest,
  fact: PendingTest,
): AfterEnd {
  const { [place]: before, ...held } = alone.held;
  if (isUnstarted(fact)) {
    const released = Object.values(held).map((other) => other.fact);
    const told = before?.after === undefined ? fact : before.fact;
    return { alone: { ...alone, isOn: false, held: {}, isUseless: true }, fact: told, released };
  }
  const told = before === undefined ? fact : judgedAgain(alone, planned, before, fact);
  return { alone: { ...alone, held }, fact: told, released: [] };
}

const besideOthers = "its server did not start beside another instance of the plugin; this run was alone";

function judgedAgain(
  { crashed }: AloneState,
  planned: PlannedTest,
  { fact: before, after }: HeldTest,
  fact: PendingTest,
): PendingTest {
  if (after === undefined) return { ...fact, verdict: withNote(fact.verdict, besideOthers) };
  if (fact.verdict.status === "failed") return fact;
  return after.tool !== undefined && crashed.includes(after.tool)
    ? { ...fact, verdict: laidOnEarlier(fact.verdict, after, planned) }
    : { ...before, verdict: failedAfterEarlier(before.verdict, after, planned) };
}

/** Place to run alone next. */
export const nextAlone = ({ held }: AloneState): number | undefined => Object.keys(held).map(Number)[0];
