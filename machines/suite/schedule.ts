/**
 * Order in which the tests of a suite start. Checks of the server have instances of their own, and so a lane of their own
 * beside the tests. In a group a test that takes long does not keep the next ones waiting.
 */
import type { PlannedTest, RunRules } from "../model/observation.ts";
import { aloneActor, type AloneState, nextAlone } from "./alone.ts";
import type { Attempts } from "./attempts.ts";
import { isControlOf } from "./learnt.ts";
import type { PendingTest } from "./pending_test.ts";
import {
  findWaiting,
  type Waiting,
  waitingCount,
  waitingOf,
  waitingPlaces,
  withoutPlace,
} from "./waiting.ts";

/** Tests that did not start yet, by their place in the list. */
export interface Queue {
  checks: number[];
  tests: Waiting;
  /** Failed tests that wait for their next run. */
  again: number[];
}

/** Servers that tests run on side by side now, and what was seen of them. */
export interface Pace {
  servers: number;
  samples: number;
  /** Tests that had ended at the latest sample. */
  ended: number;
  /** Time in ms in which no test has ended. */
  stillMs: number;
}

export interface Schedule {
  readonly tests: PlannedTest[];
  /** Most servers that tests run on side by side. */
  readonly workers: number;
  readonly bail: number | undefined;
  readonly rules: RunRules;
  queue: Queue;
  pace: Pace;
  /** Ids of tests in flight, by actor id. */
  inFlight: Record<string, string>;
  /** Tests in flight that take long or only wait, by actor id, and the tools that took long. */
  slow: { actors: string[]; tools: string[] };
  order: OrderState;
  alone: AloneState;
  failed: number;
  /** Tests that failed and run again, by their place in the list; concluded ones are gone. */
  attempts: Record<number, Attempts>;
}

/** Check of whether verdicts depend on earlier tests, group by group. */
export interface OrderState {
  isOn: boolean;
  /** Tests that have ended, by their place, and are reported once that is known. */
  pending: Record<number, PendingTest>;
  /** Group that is being checked. */
  group: string | undefined;
}

/** Number of long tests that may go on in parallel with the next ones. */
const mostSlow = 3;
/**
 * Number of tests in flight of a tool that has not answered yet, and where all others wait for answers, too: each has a
 * server, and it may never answer.
 */
const [mostUnanswered, mostAtLast] = [2, 3];
/** Time in ms after which a test in flight takes long. */
export const slowAfterMs = 500;

/** All tests, in lanes; while coverage is measured test by test there is one lane. */
export function queueOf(tests: readonly PlannedTest[], { coverage }: RunRules): Queue {
  const places = tests.map((_, place) => place);
  if (coverage) return { checks: [], tests: waitingOf(places), again: [] };
  const checks = places.filter((place) => tests[place]!.test.check !== undefined);
  return {
    checks: [
      ...checks.filter((place) => !tests[place]!.callsTools),
      ...checks.filter((place) => tests[place]!.callsTools),
    ],
    tests: waitingOf(places.filter((place) => tests[place]!.test.check === undefined)),
    again: [],
  };
}

export const testPlace = (actor: string) => Number.parseInt(actor.slice("test-".length), 10);

/** With those that failed and have not passed since. */
const failing = ({ failed, attempts }: Schedule) =>
  failed + Object.values(attempts).filter(({ runs, failures }) => failures === runs).length;
export const isWaiting = ({ checks, tests }: Queue) => checks.length + waitingCount(tests) > 0;
export const mayStartMore = (schedule: Schedule) =>
  isWaiting(schedule.queue) && (schedule.bail === undefined || failing(schedule) < schedule.bail);

export interface TestStart {
  actor: string;
  place: number;
  /** Tests that wait once it has started. */
  queue: Queue;
}

/** Test to start next: one that did not run yet, else, when no test runs, one that is to be alone or that failed. */
export function nextStart(schedule: Schedule): TestStart | undefined {
  const { queue, attempts, inFlight } = schedule;
  if (mayStartMore(schedule)) {
    const isOvertaken = overtaken(schedule);
    const test = findWaiting(queue.tests, (place) => !isOvertaken(place)) ??
      findWaiting(queue.tests, (place) => !isOvertaken(place, mostAtLast));
    if (test !== undefined && fits(schedule, test)) {
      return {
        actor: `test-${test}`,
        place: test,
        queue: { ...queue, tests: withoutPlace(queue.tests, test) },
      };
    }
    const [check, ...checks] = queue.checks;
    if (check !== undefined && isFree(schedule, check, test === undefined)) {
      const actor = schedule.alone.isOn ? aloneActor(check) : `test-${check}`;
      return { actor, place: check, queue: { ...queue, checks } };
    }
    return undefined;
  }
  if (Object.keys(inFlight).length > 0 || schedule.order.group !== undefined) return undefined;
  const held = nextAlone(schedule.alone);
  if (held !== undefined) return { actor: aloneActor(held), place: held, queue };
  const [place, ...again] = queue.again;
  if (place === undefined) return undefined;
  const actor = `test-${place}-again-${attempts[place]!.retried + 1}`;
  return { actor, place, queue: { ...queue, again } };
}

const inLane = ({ tests, rules }: Schedule, place: number) =>
  tests[place]!.test.check !== undefined && !rules.coverage;
/** Actors of tests in flight but for checks that have a lane of their own. */
export const testsInLane = (schedule: Schedule) =>
  Object.keys(schedule.inFlight).filter((actor) => !inLane(schedule, testPlace(actor)));
/** Checks in flight but for those that only wait for the end of their server. */
const checksInFlight = (schedule: Schedule): PlannedTest[] =>
  Object.keys(schedule.inFlight).filter((actor) => !schedule.slow.actors.includes(actor)).map(testPlace)
    .filter((place) => inLane(schedule, place))
    .map((place) => schedule.tests[place]!);
/** Tests in flight that others have to wait for. */
const busy = (schedule: Schedule) =>
  testsInLane(schedule).filter((actor) => !schedule.slow.actors.includes(actor));

/**
 * Tells which waiting tests others overtake: those of a tool with calls in flight that has not answered any yet, and those
 * whose control call is in flight as a test of its own.
 */
export function overtaken(schedule: Schedule): (place: number, mostOpen?: number) => boolean {
  const { tests } = schedule;
  const running = testsInLane(schedule).map(testPlace).filter((place) => tests[place]!.group !== undefined);
  if (running.length === 0) return () => false;
  // Rarely asked for, and it looks at all tests.
  let answered: Set<string | undefined> | undefined;
  const hasAnswered = (tool: string | undefined): boolean => {
    answered ??= answeredTools(schedule, running);
    return answered.has(tool);
  };
  return (place, mostOpen = mostUnanswered) => {
    const { group, test } = tests[place]!;
    if (group === undefined) return false;
    const ofTool = running.map((other) => tests[other]!.test).filter(({ tool }) => tool === test.tool);
    return (ofTool.length >= mostOpen && !hasAnswered(test.tool)) ||
      ofTool.some((other) => isControlOf(other, test));
  };
}

/** Tools of the groups' tests that have ended. */
function answeredTools({ tests, queue }: Schedule, running: readonly number[]): Set<string | undefined> {
  const open = new Set([...running, ...waitingPlaces(queue.tests)]);
  const ended = tests.filter(({ group }, place) => group !== undefined && !open.has(place));
  return new Set(ended.map(({ test }) => test.tool));
}

function fits(schedule: Schedule, place: number): boolean {
  const { tests, pace: { servers }, order } = schedule;
  if (order.group !== undefined || checksInFlight(schedule).some(({ callsTools }) => callsTools)) {
    return false;
  }
  const others = testsInLane(schedule).map((actor) => tests[testPlace(actor)]!);
  if (others.length === 0) return true;
  const { group, test: { tier } } = tests[place]!;
  if (group !== undefined && others.every((other) => other.group !== undefined)) {
    return busy(schedule).length === 0 && others.length <= mostSlow;
  }
  // Tests of several steps rely on what they left behind themselves.
  return others.length < servers && tier === 1 && others.every(({ test }) => test.tier === 1);
}

/**
 * One check at a time, or while the server of another one ends; one that calls tools not beside tests that do, but for
 * those that only take long, and none beside tests where servers do not start beside each other. `noneElse`: all tests that wait are overtaken.
 */
function isFree(schedule: Schedule, place: number, noneElse: boolean): boolean {
  const { tests, inFlight, order, alone } = schedule;
  if (checksInFlight(schedule).length > 0) return false;
  if (alone.isOn && Object.keys(inFlight).length > 0) return false;
  return !(tests[place]!.callsTools || alone.isOn) ||
    (noneElse && busy(schedule).length === 0 &&
      order.group === undefined && Object.keys(order.pending).length === 0);
}

/** Whether tests of a list have groups: where none has, nothing is looked for at the start of each. */
function isGrouped(tests: readonly PlannedTest[]): boolean {
  let known = grouped.get(tests);
  if (known === undefined) grouped.set(tests, known = tests.some(({ group }) => group !== undefined));
  return known;
}

const grouped = new WeakMap<readonly PlannedTest[], boolean>();

/** Servers that the pool holds while a test runs, and those that it opens ahead. */
export function poolSizeFor(
  { tests, pace: { servers }, rules, queue }: Schedule,
  { test, skip, group }: PlannedTest,
): { size: number; spares: number } {
  const { isolation, opensAhead = 0 } = rules;
  const perTest = isolation === "per_test";
  // What gets a server of its own next: tests, or groups of them.
  const next = new Set<number | string>();
  if (opensAhead > 0 && (perTest || isGrouped(tests))) {
    findWaiting(queue.tests, (place) => {
      const other = tests[place]!;
      const own = perTest ? place : other.group === group ? undefined : other.group;
      if (other.skip === undefined && own !== undefined) next.add(own);
      return next.size === opensAhead;
    });
  }
  const spares = next.size;
  if (group !== undefined) return { size: mostSlow + 1 + spares, spares };
  // Tests of several steps rely on one instance, so that no other may be idle beside it.
  const size = test.tier === 1 || skip !== undefined ? servers : 1;
  return perTest ? { size: size + spares, spares } : { size, spares: 0 };
}

/** True where no test of the group is left to run: its servers are not needed any more. */
export function isGroupOver(schedule: Schedule, group: string): boolean {
  const { tests, queue, inFlight } = schedule;
  const isOf = (place: number): boolean => tests[place]!.group === group;
  return ![...queue.again, ...Object.keys(inFlight).map(testPlace)].some(isOf) &&
    !(mayStartMore(schedule) && findWaiting(queue.tests, isOf) !== undefined);
}

/** Groups whose tests are repeated on one server, where there are several. */
export const checksOrder = ({ tests, rules }: Pick<Schedule, "tests" | "rules">): boolean =>
  rules.checksOrder === true &&
  new Set(tests.flatMap(({ group }) => group ?? [])).size > 1;
