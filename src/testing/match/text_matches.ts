/** Comparisons of text that assertions on tool output and on command output share. */
import * as z from "zod";
import type { AssertionResult } from "../assertion.ts";
import { boundedMatch, matchLimitMs } from "./bounded_match.ts";
import { textExcerpt } from "../../core/text.ts";
import { createTwoFilesPatch } from "diff";
import { expandPattern } from "../json_schema/expand_pattern.ts";

type Options = { ignoreCase: boolean };

const fold = (text: string, { ignoreCase }: Options): string => ignoreCase ? text.toLowerCase() : text;
const caseNote = ({ ignoreCase }: Options): string => ignoreCase ? " (upper and lower case ignored)" : "";

/** A regular expression as text; one that does not compile or that runs away is a problem of the test file. */
export const patternSchema = z.string().superRefine((pattern, context) => {
  try {
    new RegExp(pattern);
  } catch (error) {
    const reason = (error as Error).message.replace(/^Invalid regular expression: /, "");
    context.addIssue({ code: "custom", message: `expected a regular expression: ${reason}` });
    return;
  }
  const text = runawayText(pattern);
  if (text === undefined) return;
  const message = `expected a regular expression that ends: /${pattern}/ runs away, for example on ${
    textExcerpt(text, 40)
  }`;
  context.addIssue({ code: "custom", message });
});

export function contains(what: string, expected: string, actual: string, options: Options): AssertionResult {
  return {
    pass: fold(actual, options).includes(fold(expected, options)),
    expected,
    actual,
    message: () =>
      `${what} does not contain ${textExcerpt(expected)}${caseNote(options)}\n  actual: ${
        textExcerpt(actual, 1000)
      }`,
  };
}

export function equals(what: string, expected: string, actual: string, options: Options): AssertionResult {
  return {
    pass: fold(actual, options) === fold(expected, options),
    expected,
    actual,
    message: () =>
      `${what} is not the text expected${caseNote(options)}\n${textDifference(expected, actual)}`,
  };
}

export function matches(what: string, expected: string, actual: string, options: Options): AssertionResult {
  const flags = options.ignoreCase ? "i" : "";
  const matched = boundedMatch(expected, flags, actual);
  const found = matched === "runs away"
    ? `could not be matched with /${expected}/${flags} within ${matchLimitMs / 1000} s: the pattern runs away`
    : `does not match /${expected}/${flags}`;
  return {
    pass: matched === true,
    expected,
    actual,
    message: () => `${what} ${found}\n  actual: ${textExcerpt(actual, 1000)}`,
  };
}

const longest = 20_000;

/** Both texts where they are short, else a unified diff of at most 30 lines. */
function textDifference(expected: string, actual: string): string {
  const short = expected.length <= 120 && actual.length <= 120;
  const both = `  expected: ${textExcerpt(expected)}\n  actual:   ${textExcerpt(actual)}`;
  if (short || expected.length > longest || actual.length > longest) return both;
  const patch = createTwoFilesPatch("expected", "actual", expected, actual, "", "", {
    context: 2,
    maxEditLength: 500,
  });
  if (patch === undefined) return both;
  const lines = patch.trimEnd().split("\n").slice(1);
  const shown = lines.slice(0, 30).map((line) => `  ${line.slice(0, 200)}`);
  if (lines.length > 30) shown.push(`  … ${lines.length - 30} more lines`);
  return shown.join("\n");
}

/** A repeated group; without one a pattern may be slow, but not without end on a short text. */
const repeatedGroup = /\)(?:[*+]|\{\d+,)/;

/** First look, and the second that decides: a busy machine must not make an honest pattern look bad. */
const looksMs = [100, 1000];

const mostExpanded = 400;
const attempts = 6;

/**
 * A text on which the pattern runs away, or undefined where none was found: matching is bounded in time all the same
 * (`boundedMatch`), this only tells it before anything runs.
 */
function runawayText(pattern: string): string | undefined {
  if (!repeatedGroup.test(pattern)) return undefined;
  return textsFor(pattern).find((text) =>
    looksMs.every((limit) => boundedMatch(pattern, "", text, limit) === "runs away")
  );
}

/** Long texts that almost match: the last character is wrong. */
function textsFor(pattern: string): string[] {
  const texts = new Set<string>();
  for (let attempt = 0; attempt < attempts; attempt++) {
    const text = expand(pattern, attempt)?.slice(0, mostExpanded);
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
