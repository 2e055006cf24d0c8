/** Makes a failing input smaller while it fails the same way (fast-check's shrinking, bounded in time). */
import fc from "fast-check";
import { OutOfTime } from "../../platform/bounded.ts";
import type { FuzzInput } from "./arbitraries/inputs.ts";

interface Shrunk extends FuzzInput {
  shrinks: number;
  /** Path as fast-check writes it: which input was drawn, then which smaller one each time. */
  path: string;
  tookMs: number;
}

/**
 * Parameters that draw the same again. Unbiased: fast-check would begin with many empty texts, and the borders are
 * listed.
 */
export const drawing = (seed: number, numRuns: number) => ({ seed, numRuns, unbiased: true });

/**
 * `fails` says whether an input fails as the first one did; it is asked once for each input. After `budgetMs` the smallest
 * one until then stands; a schema that does not end while one is drawn makes nothing smaller.
 * @throws what `fails` throws
 */
export async function shrink(
  inputs: fc.Arbitrary<FuzzInput>,
  drawn: { seed: number; index: number; first: FuzzInput },
  fails: (input: FuzzInput) => Promise<boolean>,
  budgetMs: number,
): Promise<Shrunk> {
  const started = performance.now();
  const known = new Map([[key(drawn.first), true]]);
  let broken: { error: unknown } | undefined;
  const property = fc.asyncProperty(inputs, async (input) => {
    const seen = known.get(key(input));
    if (seen !== undefined) return !seen;
    if (broken || performance.now() - started > budgetMs) return true;
    try {
      const failed = await fails(input);
      known.set(key(input), failed);
      return !failed;
    } catch (error) {
      // A thrown error would count as a failing input; it is thrown on below.
      broken = { error };
      return true;
    }
  });
  const path = String(drawn.index);
  const details = await fc.check(property, { ...drawing(drawn.seed, 1), path }).catch(unlessOutOfTime);
  if (broken) throw broken.error;
  const tookMs = performance.now() - started;
  const [smallest] = details?.counterexample ?? [drawn.first];
  return {
    ...smallest,
    shrinks: details?.numShrinks ?? 0,
    path: details?.counterexamplePath ?? path,
    tookMs,
  };
}

function unlessOutOfTime(error: unknown): undefined {
  if (!(error instanceof OutOfTime)) throw error;
}

const key = ({ input, breach }: FuzzInput): string => JSON.stringify([input, breach !== undefined]);
