/**
 * Tests and checks whose server could not start beside other instances of the plugin (a lock, a database that one process
 * holds): they run once more, alone, and only that counts.
 */
import { withNote } from "../test/test_setup.ts";
import type { PendingTest } from "./schedule.ts";

export interface AloneState {
  /** Checks wait until no test runs, as a server could not start. */
  isOn: boolean;
  /** Ends that do not count, by the test's place; they count after all where a server does not start alone either. */
  held: Record<number, PendingTest>;
  /** A server did not start alone either: that others run does not matter. */
  isUseless: boolean;
}

export const noneAlone: AloneState = { isOn: false, held: {}, isUseless: false };

const suffix = "-alone";
export const aloneActor = (place: number) => `test-${place}${suffix}`;
export const runsAlone = (actor: string) => actor.endsWith(suffix);

/** True for a test that had no server to call. */
const isUnstarted = ({ verdict, observation, connectionId }: PendingTest) =>
  verdict.status === "failed" && observation.callError !== undefined && connectionId === undefined;

interface AfterEnd {
  alone: AloneState;
  /** The end does not count, as the test will run once more. */
  isHeld: boolean;
  /** The end as it is told. */
  fact: PendingTest;
  /** Ends that were held and count after all. */
  released: PendingTest[];
}

/** With the end of a test. */
export function afterEnd(alone: AloneState, actor: string, place: number, fact: PendingTest): AfterEnd {
  const isMissing = isUnstarted(fact);
  if (!runsAlone(actor)) {
    const isHeld = isMissing && !alone.isUseless;
    const held = isHeld ? { ...alone.held, [place]: fact } : alone.held;
    return { alone: { ...alone, isOn: alone.isOn || isHeld, held }, isHeld, fact, released: [] };
  }
  const { [place]: before, ...held } = alone.held;
  if (isMissing) {
    const released = Object.values(held);
    return { alone: { isOn: false, held: {}, isUseless: true }, isHeld: false, fact, released };
  }
  const told = before === undefined ? fact : { ...fact, verdict: withNote(fact.verdict, besideOthers) };
  return { alone: { ...alone, held }, isHeld: false, fact: told, released: [] };
}

const besideOthers = "its server did not start beside another instance of the plugin; this run was alone";

/** Place to run alone next. */
export const nextAlone = ({ held }: AloneState): number | undefined => Object.keys(held).map(Number)[0];
