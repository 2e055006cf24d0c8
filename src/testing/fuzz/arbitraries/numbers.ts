/**
 * Numbers that a schema allows. Fuzzing is asked for, so they may be larger than those of generated tests, and still no
 * server is made to loop or to allocate without end: nothing is beyond ±65,536 unless the schema itself demands it.
 */
import fc from "fast-check";
import { numberLimits } from "../../json_schema/numbers.ts";
import { isDuration } from "../../json_schema/schema_properties.ts";
import type { Schema } from "../../json_schema/schema.ts";
import { seeded } from "./seeded.ts";

/** Where the schema has no limit, or one beyond. */
const farthest = 65_536;

/** Where types, counters and buffers end. */
const borders = [
  -65_536,
  -32_769,
  -32_768,
  -129,
  -128,
  -1,
  0,
  1,
  2,
  127,
  128,
  255,
  256,
  1_000,
  32_767,
  65_535,
  65_536,
];

export function numberArbitrary(schema: Schema, integer: boolean, name: string): fc.Arbitrary<number> {
  const { minimum, maximum, step } = numberLimits(schema, integer);
  const low = minimum > farthest ? minimum : Math.max(minimum, -farthest);
  const wanted = isDuration(name) ? Math.max(1, low) : maximum < -farthest ? maximum : farthest;
  const high = Math.max(low, Math.min(maximum, wanted));
  return step > 0 ? steps(low, high, step) : fractions(low, high);
}

function steps(low: number, high: number, step: number): fc.Arbitrary<number> {
  const [first, last] = [Math.ceil(low / step - 1e-9), Math.floor(high / step + 1e-9)];
  if (first > last) return fc.constant(low);
  const inside = step === 1 ? borders.filter((value) => value >= first && value <= last) : [];
  const pool = [...new Set([first, last, ...inside])];
  return seeded(pool, fc.integer({ min: first, max: last }), { first: nearZero }).map((count) =>
    exact(count * step)
  );
}

const near = [0, 1, 2, 10, 100];

/** Halving takes up to 16 steps from the farthest number, and often any negative one does it. */
const nearZero = (value: number): number[] =>
  near.filter((size) => size < Math.abs(value)).map((size) => value < 0 ? 0 - size : size);

function fractions(low: number, high: number): fc.Arbitrary<number> {
  if (low >= high) return fc.constant(low);
  const whole = Math.ceil(low) <= Math.floor(high)
    ? steps(Math.ceil(low), Math.floor(high), 1)
    : fc.constantFrom(low, high);
  return fc.oneof(whole, fc.double({ min: low, max: high, noNaN: true }));
}

/** 0.1 × 3 is 0.30000000000000004, which is no multiple of 0.1 to a validator. */
const exact = (value: number): number => Number(value.toPrecision(15));
