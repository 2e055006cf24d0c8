/** Orders drawn from a seed, and parts of a suite. */
import type { SuiteOptions } from "../../../machines/model/suite_options.ts";
import { PthError } from "../../core/errors.ts";

/** Test in so far as its place in the order depends on it. */
interface Arranged {
  check?: unknown;
  tags: readonly string[];
}

type Arrangement = Pick<SuiteOptions, "shuffle" | "seed" | "shard">;

/** Checks options that exclude each other or are out of range. @throws {PthError} `INVALID_INPUT` */
export function checkArrangement({ shuffle, seed, shard, lastFailed }: SuiteOptions): void {
  if (shard === undefined) return;
  const { index, of } = shard;
  if (!Number.isInteger(index) || !Number.isInteger(of) || index < 1 || index > of) {
    throw refused(`there is no part ${index} of ${of}`, "Parts count from 1, as in 1/3, 2/3 and 3/3");
  }
  if (shuffle === true && seed === undefined) {
    throw refused(
      "each part would draw an order of its own, so that tests are run twice or never",
      "Give all parts the same seed",
    );
  }
  if (lastFailed === true) {
    throw refused(
      "what failed last is known to each machine by itself, so that the parts would not fit together",
      "Leave out one of lastFailed and shard",
    );
  }
}

const refused = (why: string, next: string): PthError =>
  new PthError("INVALID_INPUT", `Cannot choose tests: ${why}`, { next: [next] });

/**
 * Shuffles planned tests, then takes a part of them. Checks of the server stay first, and tests by hand before generated
 * ones, which leave traces in the server's state.
 */
export function shuffleAndShard<Test extends Arranged>(
  planned: readonly Test[],
  { shuffle, seed = 0, shard }: Arrangement,
): Test[] {
  const ordered = shuffle ? shuffledWithin(planned, seed) : [...planned];
  if (shard === undefined) return ordered;
  // In turn, and not by how long each took: machines that know different times would cut differently.
  return ordered.filter((_, at) => at % shard.of === shard.index - 1);
}

function shuffledWithin<Test extends Arranged>(tests: readonly Test[], seed: number): Test[] {
  const checks = tests.filter(({ check }) => check !== undefined);
  const others = tests.filter(({ check }) => check === undefined);
  const isGenerated = ({ tags }: Arranged) => tags.includes("generated");
  const random = generator(seed);
  return [
    ...checks,
    ...shuffled(others.filter((test) => !isGenerated(test)), random),
    ...shuffled(others.filter(isGenerated), random),
  ];
}

/** Fisher and Yates. */
function shuffled<Value>(values: readonly Value[], random: () => number): Value[] {
  const drawn = [...values];
  for (let at = drawn.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1));
    [drawn[at], drawn[other]] = [drawn[other]!, drawn[at]!];
  }
  return drawn;
}

/** Numbers from 0 to below 1, the same on every machine (mulberry32). */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** For a run that names none; short enough to be typed again. */
export const drawSeed = (): number => crypto.getRandomValues(new Uint32Array(1))[0]! % 1_000_000;
