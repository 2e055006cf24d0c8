/** The comparisons that assertions on tool output and on command output share. */
import { z } from "zod";
import type { AssertionResult } from "../assertion.ts";
import { boundedMatch, matchLimitMs } from "./bounded_match.ts";
import { textExcerpt } from "../../core/text.ts";
import { runawayText } from "./runaway_text.ts";
import { textDifference } from "./text_difference.ts";

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
