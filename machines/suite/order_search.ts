/**
 * Search for the smallest pair of tests that shows that a verdict depends on what ran before: each trial runs some of the
 * tests that came before, and then the test itself, on a fresh server.
 */
import type { Observation, PlannedTest } from "../model/observation.ts";
import type { Verdict } from "../model/verdict.ts";

/** A test as it came out on a server of its group's own. */
export interface OrderEntry {
  planned: PlannedTest;
  verdict: Verdict;
  observation: Observation;
}

/** A test that came out otherwise after tests of other groups, on the same server. */
export interface Suspect {
  entry: OrderEntry;
  verdict: Verdict;
  /** Tests that ran before it on that server, in order. */
  before: PlannedTest[];
}

export type Conclusion =
  /** The test comes out otherwise from its second run on, on a fresh server, too: what it left is in files. */
  | { kind: "repeated" }
  | { kind: "pair"; first: PlannedTest }
  /** No single test of these is enough. */
  | { kind: "several"; tests: PlannedTest[] }
  /** Another test of the same group was searched, which came out otherwise in the same way. */
  | { kind: "like"; other: PlannedTest }
  | { kind: "not_again" }
  /** Trials or time were used up. */
  | { kind: "unknown" };

export interface Search {
  suspect: Suspect;
  /** Tests among which the cause is. */
  known: PlannedTest[];
  part: "none" | "earlier" | "later" | "all";
  /** A trial has shown it. */
  shown: boolean;
  trials: number;
}

/** Trials of one search: enough for the halves of some thousand tests. */
const mostTrials = 16;

export const beginSearch = (suspect: Suspect): Search => ({
  suspect,
  known: suspect.before,
  part: "none",
  shown: false,
  trials: 0,
});

const middle = (tests: readonly unknown[]) => Math.ceil(tests.length / 2);

/** Tests to run before the suspect in the next trial. */
export function trialOf({ known, part }: Search): PlannedTest[] {
  if (part === "none") return [];
  if (part === "earlier") return known.slice(0, middle(known));
  return part === "later" ? known.slice(middle(known)) : known;
}

/** With what a trial has shown: the next one, or what came of all. */
export function advance(search: Search, shown: boolean): Search | Conclusion {
  const { known, part, suspect } = search;
  const trials = search.trials + 1;
  if (part === "none" && shown) return { kind: "repeated" };
  const next = (changes: Partial<Search>): Search | Conclusion => {
    const after = { ...search, ...changes, trials };
    if (after.known.length === 1 && after.shown) return { kind: "pair", first: after.known[0]! };
    if (after.part === "all" && after.shown) return { kind: "several", tests: after.known };
    return trials >= mostTrials ? { kind: "unknown" } : after;
  };
  if (shown) {
    const found = trialOf(search);
    return next({
      known: found,
      shown: true,
      part: found.length === 1 || part === "all" ? "all" : "earlier",
    });
  }
  if (part === "none") {
    if (suspect.before.length === 0) return { kind: "not_again" };
    return next({ part: known.length === 1 ? "all" : "earlier" });
  }
  if (part === "earlier") return next({ part: "later" });
  return part === "later" ? next({ part: "all" }) : { kind: "not_again" };
}

export const isConclusion = (search: Search | Conclusion): search is Conclusion => "kind" in search;

/** Suspects that need no search of their own, as another of their group has shown what theirs would, and the others. */
export function alike({ entry }: Suspect, conclusion: Conclusion, suspects: readonly Suspect[]) {
  const isSame = (other: Suspect) =>
    (other.entry.verdict.status === "failed") === (entry.verdict.status === "failed");
  const explains = conclusion.kind === "pair" || conclusion.kind === "several" ||
    conclusion.kind === "repeated";
  return {
    like: explains ? suspects.filter(isSame) : [],
    others: explains ? suspects.filter((other) => !isSame(other)) : [...suspects],
  };
}

/** Whether a test came out otherwise after others. A refusal of what was accepted once is no fault: the thing may exist by now. */
export function differs(own: Verdict, after: Verdict): boolean {
  return (own.status === "failed") !== (after.status === "failed");
}

/** Longest time in ms that a test took which is repeated. */
const quickMs = 900;

/** Whether a test of a group is repeated after those of others: one that was answered soon, or that lost its server. */
export function isRepeatable({ planned: { test }, verdict, observation }: OrderEntry): boolean {
  const { outcome, loss } = observation;
  if (verdict.category === "timeout" || (outcome?.durationMs ?? 0) > quickMs) return false;
  if (verdict.status === "passed") return outcome !== undefined;
  if (verdict.status === "failed") return outcome !== undefined || loss !== undefined;
  return verdict.status === "skipped" && outcome !== undefined && test.expect["well_behaved"] === true;
}

/** The entries that fit into a time in ms, by what each took, and the others. */
export function divideByTime(entries: readonly OrderEntry[], limitMs: number) {
  let ms = 0;
  const within: OrderEntry[] = [];
  for (const entry of entries) {
    const next = ms + (entry.observation.outcome?.durationMs ?? 0);
    if (next > limitMs) break;
    ms = next;
    within.push(entry);
  }
  return { within, beyond: entries.slice(within.length), ms };
}
