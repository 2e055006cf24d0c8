/** Work that makes inputs for a server's schema, not tried again once it has shown that it does not end. */
import { inTime } from "./in_time.ts";

/** Most schemas that are remembered for one kind of work, and the length of the longest: a longer one is tried again. */
const [mostKnown, longest] = [200, 100_000];

/** Work on a schema: one may be done in time where another is not. */
type Work = "problems" | "tests" | "example";

/** Problems by the text of the schema, as each list of tools holds objects of its own. */
const ranOut: Record<Work, Map<string, string>> = {
  problems: new Map(),
  tests: new Map(),
  example: new Map(),
};

/**
 * Does the work as `inTime` does it, with the usual limit. A schema that ran out of time once has the same problem at once:
 * checks list the tools anew, and each would hold the process up for a second for each tool. Where the machine was too busy
 * to be certain, it is tried again.
 */
export function inputsInTime<Result>(
  kind: Work,
  schema: unknown,
  work: () => Result,
): ReturnType<typeof inTime<Result>> {
  const known = ranOut[kind];
  // Only where a schema has run out of time are they compared.
  const before = known.size === 0 ? undefined : known.get(JSON.stringify(schema) ?? "");
  if (before !== undefined) return { problem: before };
  const made = inTime(schema, work);
  if (made.problem === undefined || made.starved || known.size >= mostKnown) return made;
  const text = JSON.stringify(schema) ?? "";
  if (text.length <= longest) known.set(text, made.problem);
  return made;
}
