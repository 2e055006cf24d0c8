/**
 * Regular expressions in bounded time: a pattern that runs away on an answer made for it must not hang PTH.
 *
 * Patterns stay JavaScript's own, with look around and back references, which engines in linear time do not have.
 */
import { bounded, OutOfTime, workLimitMs } from "../../platform/bounded.ts";
import { PthError } from "../../core/errors.ts";

/** Milliseconds that one match may take; ordinary ones take less than one. */
export const matchLimitMs: number = workLimitMs;

/**
 * Whether a pattern matches a text, or "runs away" where that took longer than the limit.
 * @throws {SyntaxError} for a pattern that does not compile.
 */
export function boundedMatch(
  pattern: string,
  flags: string,
  text: string,
  limitMs: number = matchLimitMs,
): boolean | "runs away" {
  try {
    return bounded(() => new RegExp(pattern, flags).test(text), limitMs);
  } catch (error) {
    if (error instanceof OutOfTime) return "runs away";
    throw error;
  }
}

/**
 * Matches like `boundedMatch`, for callers without an error text of their own. @throws {PthError} `INVALID_TEST_FILE`
 * when the match takes too long.
 */
export function matchOrThrow(pattern: string, flags: string, text: string): boolean {
  const matched = boundedMatch(pattern, flags, text);
  if (matched !== "runs away") return matched;
  throw new PthError(
    "INVALID_TEST_FILE",
    `Cannot match /${pattern}/: it runs away on a text of ${text.length} characters`,
    {
      next: [
        "Write it without a repeated group that holds a repetition, for example [^,]* in place of (.*)*",
      ],
    },
  );
}
