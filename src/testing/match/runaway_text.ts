/** Regular expressions whose time doubles with each character: found by trying them on texts made for it. */
import { boundedMatch } from "./bounded_match.ts";
import { expandPattern } from "../json_schema/expand_pattern.ts";

/** A repeated group; without one a pattern may be slow, but not without end on a short text. */
const repeatedGroup = /\)(?:[*+]|\{\d+,)/;

/** First look, and the second that decides: a busy machine must not make an honest pattern look bad. */
const looksMs = [100, 1000];

const longest = 400;
const attempts = 6;

/**
 * A text on which the pattern runs away, or undefined where none was found: matching is bounded in time all the same
 * (`boundedMatch`), this only tells it before anything runs.
 */
export function runawayText(pattern: string): string | undefined {
  if (!repeatedGroup.test(pattern)) return undefined;
  return textsFor(pattern).find((text) =>
    looksMs.every((limit) => boundedMatch(pattern, "", text, limit) === "runs away")
  );
}

/** Long texts that almost match: the last character is wrong. */
function textsFor(pattern: string): string[] {
  const texts = new Set<string>();
  for (let attempt = 0; attempt < attempts; attempt++) {
    const text = expand(pattern, attempt)?.slice(0, longest);
    if (text === undefined) continue;
    texts.add(`${text}\u0000`);
    texts.add(`${text.slice(0, -1)}\u0000`);
  }
  return [...texts];
}

/** A matching text with many repetitions; choices follow a fixed sequence. */
function expand(pattern: string, attempt: number): string | undefined {
  let state = attempt * 7919 + 1;
  return expandPattern(pattern, {
    repetitions: 40,
    choose(low, high) {
      if (attempt < 2) return attempt === 0 ? high : Math.min(high, low + 30);
      state = (state * 48271) % 0x7fffffff;
      return low + (state % (high - low + 1));
    },
  });
}
