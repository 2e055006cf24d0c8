/**
 * Pace of a suite on the servers that it has, and how many more save more time than their start costs. Tests that wait for a
 * server go faster on two; what PTH itself computes does not.
 */
import type { RunRules } from "../model/observation.ts";
import { mayStartMore, type Pace, type Schedule, testPlace, testsInLane } from "./schedule.ts";
import { waitingCount, waitingPlaces } from "./waiting.ts";

export interface PaceSample {
  elapsedMs: number;
  /** Time in ms in which PTH itself worked. */
  ownMs: number;
}

/** Share of the time in which PTH works: below it, tests are slow for other reasons than being the first ones. */
const littleWork = 0.25;

const startMsOf = ({ startMs = 0 }: RunRules) => startMs;

/** Time in ms that a sample takes: as long as a server's start, but neither too short to show anything nor too long. */
export const sampleMs = (rules: RunRules): number => Math.min(1000, Math.max(25, startMsOf(rules)));

/** Servers to begin with: the one that is there, where a start costs something that tests do not cost anyway. */
export const firstPace = (
  { workers, rules: { startMs, isolation } }: Pick<Schedule, "workers" | "rules">,
): Pace => ({
  servers: startMs === undefined || isolation === "per_test" ? workers : 1,
  samples: 0,
  ended: 0,
  stillMs: 0,
});

/** The same number of servers, of which nothing was seen yet. */
export const freshPace = (schedule: Schedule): Pace => ({
  servers: schedule.pace.servers,
  samples: 0,
  ended: endedTests(schedule),
  stillMs: 0,
});

/** Time in which nothing runs that may have another test next to it shows nothing. */
export function paceAfter(schedule: Schedule, { elapsedMs }: PaceSample): Pace {
  const running = testsInLane(schedule).map((actor) => schedule.tests[testPlace(actor)]!.test);
  if (running.length === 0 || running.some(({ tier }) => tier !== 1)) return freshPace(schedule);
  const { servers, samples, ended: before, stillMs } = schedule.pace;
  const ended = endedTests(schedule);
  return { servers, samples: samples + 1, ended, stillMs: ended === before ? stillMs + elapsedMs : 0 };
}

/** Number of servers, at most one for each worker, by what each one more saves for the tests that wait. */
export function serversFor(schedule: Schedule, sample: PaceSample): number {
  const { tests, queue, workers, pace } = schedule;
  const { elapsedMs, ownMs } = sample;
  const { samples, ended, stillMs } = paceAfter(schedule, sample);
  const startMs = startMsOf(schedule.rules);
  const count = ended - pace.ended;
  const showsRate = count > 0 && (samples > 1 || ownMs < elapsedMs * littleWork);
  // A test that takes long says nothing of the others, but keeps them waiting.
  const perTest = Math.max(showsRate ? elapsedMs / count : 0, stillMs >= startMs ? stillMs : 0);
  const own = ownMs / Math.max(1, count);
  const perTestOn = (servers: number) => Math.max(own, perTest * pace.servers / servers);
  const left = mayStartMore(schedule)
    ? waitingPlaces(queue.tests).filter((place) =>
      tests[place]!.test.tier === 1 && tests[place]!.skip === undefined
    ).length
    : 0;
  const savedBy = (servers: number) => left * (perTestOn(servers - 1) - perTestOn(servers));
  const most = Math.min(workers, pace.servers + left);
  let { servers } = pace;
  while (servers < most && savedBy(servers + 1) > startMs) servers++;
  return servers;
}

function endedTests(schedule: Schedule): number {
  const { tests, queue, rules } = schedule;
  const inLane = tests.filter(({ test }) => test.check === undefined || rules.coverage === true).length;
  return inLane - waitingCount(queue.tests) - testsInLane(schedule).length;
}
