import type { RunRules } from "../model/observation.ts";
import type { Verdict } from "../model/verdict.ts";

export interface Attempts {
  /** With a verdict of their own: one that was skipped tells nothing. */
  runs: number;
  failures: number;
  /** Times that the test was started again. */
  retried: number;
  /** The first failure: later ones may suffer from it. */
  failure: Verdict;
}

/** A failure that is its test's first. */
const firstFailure = (verdict: Verdict): Attempts => ({
  runs: 1,
  failures: 1,
  retried: 0,
  failure: verdict,
});

function countRetry(attempts: Attempts, { status }: Verdict): Attempts {
  const { runs, failures, retried } = attempts;
  return {
    ...attempts,
    runs: runs + (status === "skipped" ? 0 : 1),
    failures: failures + (status === "failed" ? 1 : 0),
    retried: retried + 1,
  };
}

/** The test's runs so far, this one included; undefined where one run says all. */
export function attemptsAfter(
  { attempts, rules }: { attempts: Record<number, Attempts>; rules: RunRules },
  place: number,
  verdict: Verdict,
): Attempts | undefined {
  const before = attempts[place];
  if (before) return countRetry(before, verdict);
  return verdict.status === "failed" && (rules.retries ?? 0) > 0 ? firstFailure(verdict) : undefined;
}

/** One pass among failures makes a test flaky; a failure that never passes is one, however often it ran. */
export function concludeSuite({ runs, failures, failure }: Attempts): Verdict {
  const status = failures < runs ? "flaky" as const : "failed" as const;
  const told = status === "flaky"
    ? `failed ${failures} of ${runs} runs`
    : runs > 1
    ? `failed all ${runs} runs`
    : undefined;
  const note = [failure.note, told].filter((part) => part !== undefined).join("; ");
  return { ...failure, status, ...(note === "" ? {} : { note }) };
}
