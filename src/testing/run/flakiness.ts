/** Measures how flaky a test is, and with which confidence. */
import type { Flakiness } from "../../../machines/model/test_result.ts";
import type { TestStatus } from "../../../machines/model/verdict.ts";
import { count } from "../../core/text.ts";

/** Runs of one test, with a verdict of their own. */
export interface Runs {
  runs: number;
  failures: number;
}

/** Share of runs that are disturbed by neither the test nor the plugin (by a full machine, for example). */
const disturbance = 0.01;

/** @param past of the same test and the same source, this run's not included */
export function flakinessOf(now: Runs, past: Runs): Flakiness {
  const runs = now.runs + past.runs;
  const failures = now.failures + past.failures;
  return {
    attempts: now.runs,
    failures: now.failures,
    rate: failures / runs,
    runs,
    confidence: confidenceOf({ runs, failures }),
  };
}

/**
 * Confidence, from 0 to 1, that a test is not sound: one less the exact binomial probability of as many failures by
 * chance, if each run is disturbed with 1 %. The first failure is left out: it made the test a suspect, and of many
 * tests some fail by chance.
 */
export function confidenceOf({ runs, failures }: Runs): number {
  return failures < 2 ? 0 : 1 - atLeast(failures - 1, runs - 1, disturbance);
}

/** Probability of at least so many hits in `tries` that each hit with `chance`. */
function atLeast(hits: number, tries: number, chance: number): number {
  let exactly = (1 - chance) ** tries;
  let fewer = 0;
  for (let at = 0; at < hits; at++) {
    fewer += exactly;
    exactly *= ((tries - at) / (at + 1)) * (chance / (1 - chance));
  }
  return Math.max(0, 1 - fewer);
}

/** `failed 2 of 3 runs; with earlier ones of the same source 5 of 12 (42 %); 99 % sure that it is no chance`. */
export function flakinessText({ attempts, failures, rate, runs, confidence }: Flakiness): string {
  const earlier = runs > attempts
    ? `with earlier ones of the same source ${Math.round(rate * runs)} of ${runs} (${percent(rate)})`
    : undefined;
  return [
    `failed ${failures} of ${count(attempts, "run")}`,
    earlier,
    confidence === 0
      ? "seen once: it may be chance, more runs tell"
      : `${percent(confidence)} sure that it is no chance`,
  ].filter((part) => part !== undefined).join("; ");
}

/** Never 100 %: that would be a certainty. */
const percent = (share: number): string => `${Math.min(99, Math.floor(share * 100))} %`;

/** Describes how earlier runs contradict a status; undefined if they agree with it. */
export function suspicion(status: TestStatus, past: Runs): string | undefined {
  const { runs, failures } = past;
  if (status === "passed" && failures > 0) {
    return `may be flaky: it failed ${failures} of the last ${count(runs, "run")} of the same source`;
  }
  if (status === "failed" && failures < runs) {
    return `may be flaky: it passed ${runs - failures} of the last ${
      count(runs, "run")
    } of the same source ` +
      "(running it more often tells)";
  }
  return undefined;
}
