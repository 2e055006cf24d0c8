/** Work on a schema that is the server's, within a limit. */
import { whatRan } from "../../client/schema_problems.ts";
import { bounded, OutOfTime } from "../../platform/bounded.ts";

/**
 * Work on a tool's input schema, which is the server's: where it does not end, `problem` says what of the schema has run,
 * where that stands, and the limit; `starved` says that the machine was too busy for this to be certain.
 */
export function inTime<Result>(
  schema: unknown,
  work: () => Result,
  limitMs?: number,
): { result: Result; problem?: undefined } | { result?: undefined; problem: string; starved?: true } {
  try {
    return { result: bounded(work, limitMs) };
  } catch (error) {
    if (error instanceof RangeError) return { problem: "its references or its levels have no end" };
    if (!(error instanceof OutOfTime)) throw error;
    const problem = `inputs for it are ${error.message}: ${whatRan(schema)}`;
    return { problem, ...(error.starved ? { starved: true as const } : {}) };
  }
}
