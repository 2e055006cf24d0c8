/** Candidates for an expectation: those that fit, or the one that comes nearest, and what it lacks. */
import type { Judgement } from "./expectation.ts";
import { count } from "../core/text.ts";
import { timesText } from "./expected_fields.ts";

export interface Candidate {
  /** Index in the timeline. */
  at: number;
  /** Part of it that reports show. */
  actual: unknown;
  /** Description for the reason of a failure. */
  shown: string;
  /** Demands that it does not meet, that of its name first; none: it fits. Undefined stands for one that it meets. */
  misses: readonly (string | undefined)[];
  /** Text that was compared with a pattern, to tell near misses from far ones. */
  text?: string;
}

interface Search {
  /** Plural of what is sought: "calls of Bash". */
  noun: string;
  candidates: readonly Candidate[];
  /** Times that it may be there. */
  limits: { min: number; max: number };
  /** Pattern whose plain words tell near misses from far ones. */
  pattern?: string | undefined;
}

/** Judges by the number of candidates that fit. */
export function judgeCandidates({ noun, candidates, limits, pattern }: Search): Judgement {
  const fitting = candidates.filter(({ misses }) => misses.every((miss) => miss === undefined));
  const { min, max } = limits;
  const [first] = fitting;
  if (fitting.length >= min && fitting.length <= max) {
    if (first === undefined) return { pass: true, actual: null };
    return { pass: true, actual: first.actual, at: first.at };
  }
  const expected = `expected ${noun} ${timesText(limits)}`;
  if (fitting.length > max) {
    const extra = fitting[max]!;
    return {
      pass: false,
      actual: extra.actual,
      reason: `${expected}, found ${count(fitting.length, "time")}: ${extra.shown}`,
    };
  }
  const found = fitting.length === 0 ? "none was found" : `found ${count(fitting.length, "time")}`;
  const nearest = nearestOf(candidates.filter((each) => !fitting.includes(each)), pattern);
  if (nearest === undefined) return { pass: false, actual: null, reason: `${expected}, ${found}` };
  const lacks = nearest.misses.filter((miss) => miss !== undefined);
  return {
    pass: false,
    actual: nearest.actual,
    reason: `${expected}, ${found}; nearest: ${nearest.shown}, but ${lacks.join("; ")}`,
  };
}

/**
 * The candidate that meets the first demand and most of the others; of several the one whose text has most words of the
 * pattern, then the first.
 */
function nearestOf(candidates: readonly Candidate[], pattern: string | undefined): Candidate | undefined {
  const words = wordsOf(pattern);
  const ranked = candidates.map((candidate) => {
    const met = candidate.misses.filter((miss) => miss === undefined).length;
    const text = (candidate.text ?? "").toLowerCase();
    const isKind = candidate.misses[0] === undefined ? 1 : 0;
    return { candidate, isKind, met, words: words.filter((word) => text.includes(word)).length };
  });
  return ranked.toSorted((a, b) => b.isKind - a.isKind || b.met - a.met || b.words - a.words)[0]?.candidate;
}

const mostWords = 50;

/** Plain words of a regular expression, without its own signs. */
const wordsOf = (pattern = ""): string[] =>
  (pattern.replaceAll(/\\[a-zA-Z]/g, " ").toLowerCase().match(/[\p{L}\p{N}_]{2,}/gu) ?? []).slice(
    0,
    mostWords,
  );
