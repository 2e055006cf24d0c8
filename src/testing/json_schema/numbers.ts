/** Numbers within limits. Without limits they stay small: a server may loop, sleep or allocate by them. */
import { textWords } from "../../core/text.ts";
import type { Schema } from "./schema.ts";

/** Limits beyond this say "any number" (zod writes the largest safe integer), and are never tried. */
const maxTriedNumber = 10_000;

interface NumberLimits {
  minimum: number;
  maximum: number;
  step: number;
}

/** Inclusive limits; infinite where there is none. Draft 4's boolean `exclusive…` is read too. */
export function numberLimits(schema: Schema, integer: boolean): NumberLimits {
  const step = schema.multipleOf !== undefined && schema.multipleOf > 0 ? schema.multipleOf : integer ? 1 : 0;
  const inside = step || 0.5;
  const { exclusiveMinimum: above, exclusiveMaximum: below } = schema;
  let minimum = schema.minimum ?? -Infinity;
  let maximum = schema.maximum ?? Infinity;
  if (above === true) minimum += inside;
  if (below === true) maximum -= inside;
  if (typeof above === "number") minimum = Math.max(minimum, above + inside);
  if (typeof below === "number") maximum = Math.min(maximum, below - inside);
  if (minimum > maximum && step === 0) {
    // An open interval narrower than the step that was assumed.
    const low = typeof above === "number" ? above : minimum;
    const high = typeof below === "number" ? below : maximum;
    minimum = maximum = (low + high) / 2;
  }
  return { minimum, maximum, step };
}

/** The multiple of the step that is nearest above a number. */
const roundUp = (value: number, step: number): number =>
  step === 0 ? value : Math.ceil(value / step - 1e-9) * step;
const roundDown = (value: number, step: number): number =>
  step === 0 ? value : Math.floor(value / step + 1e-9) * step;

/** A small ordinary number within the limits: `preferred` where it fits. */
export function sampleNumber(schema: Schema, integer: boolean, preferred = 1): number {
  const { minimum, maximum, step } = numberLimits(schema, integer);
  const start = roundUp(Math.min(Math.max(preferred, minimum), maximum), step);
  return start <= maximum ? start : roundDown(maximum, step);
}

/** Ordinary numbers by a word in the property's name. */
const byWord: [RegExp, number][] = [
  [/^port$/, 8080],
  [/^year$/, 2024],
  [/^(?:lat|latitude)$/, 52.5],
  [/^(?:lon|lng|long|longitude)$/, 13.4],
  [/^(?:limit|radix|base)$/, 10],
  [/^(?:width|height)$/, 100],
  [/^(?:quality|dpi)$/, 80],
  [/^(?:precision|decimals|digits)$/, 2],
  [/^(?:end|until|max|maximum|upper|high)$/, 10],
];

/** An ordinary number for a property of this name, or undefined where the name says nothing. */
export const numberByName = (name: string): number | undefined =>
  textWords(name).flatMap((word) => byWord.find(([sign]) => sign.test(word))?.[1] ?? [])[0];

/** The same; 1 where the name says nothing. */
export const namedNumber = (name: string): number => numberByName(name) ?? 1;

/** The smallest and largest allowed value, or −1, 0 and 1 where there is no limit. */
export function boundaryNumbers(schema: Schema, integer: boolean): number[] {
  const { minimum, maximum, step } = numberLimits(schema, integer);
  const low = Math.abs(minimum) <= maxTriedNumber ? [roundUp(minimum, step)] : [-1, 0];
  const high = Math.abs(maximum) <= maxTriedNumber ? [roundDown(maximum, step)] : [1];
  return [...new Set([...low, ...high])].filter((value) => value >= minimum && value <= maximum);
}

/** Just outside the limits, where there are limits worth trying. */
export function numbersOutside(schema: Schema): { below?: number; above?: number } {
  const { minimum, maximum } = numberLimits(schema, true);
  return {
    ...(Math.abs(minimum) <= maxTriedNumber ? { below: Math.floor(minimum) - 1 } : {}),
    ...(Math.abs(maximum) <= maxTriedNumber ? { above: Math.ceil(maximum) + 1 } : {}),
  };
}
