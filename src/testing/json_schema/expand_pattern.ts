/** Texts that a pattern matches, of bounded length: a server may write any repetition into its patterns. */
import randexp from "randexp";

/** A piece of a pattern as the package reads it; only what makes a text longer. */
interface Piece {
  type: number;
  min?: number;
  max?: number;
  value?: unknown;
  stack?: Piece[];
  options?: Piece[][];
}

// The package's types describe a default export that CommonJS does not have at run time.
const RandExp = randexp as unknown as new (
  pattern: string,
) => { max: number; tokens: Piece; randInt(low: number, high: number): number; gen(): string };

interface ExpandOptions {
  /** Repetitions drawn where the pattern sets no upper limit. */
  repetitions: number;
  /** One of the numbers from `low` to `high`: how often, or which alternative. */
  choose(low: number, high: number): number;
}

/** Characters; no text for an input is longer. */
const longest = 1_000_000;

/** The package's mark of a back reference. What it repeats may hold references itself: few of them are followed. */
const reference = 6;
const mostReferences = 4;

/** Undefined for syntax that the package does not know, and where the text could become too long. */
export function expandPattern(pattern: string, { repetitions, choose }: ExpandOptions): string | undefined {
  try {
    const generator = new RandExp(pattern);
    if (mostCharacters(generator.tokens, repetitions) > longest) return undefined;
    generator.max = repetitions;
    generator.randInt = choose;
    return generator.gen();
  } catch {
    // Syntax that the library does not know; the caller then has no text, and says so.
    return undefined;
  }
}

/** Whether each text that a pattern matches can be made at all; undefined where that is not known. */
export function isExpandable(pattern: string): boolean | undefined {
  try {
    return mostCharacters(new RandExp(pattern).tokens, 100) <= longest;
  } catch {
    // As above.
    return undefined;
  }
}

function mostCharacters({ type, min, max, value, stack, options }: Piece, repetitions: number): number {
  if (type === reference) return longest / mostReferences;
  if (min !== undefined && max !== undefined) {
    const times = max === Infinity ? min + repetitions : max;
    return times * Math.max(1, mostCharacters(value as Piece, repetitions));
  }
  const row = (pieces: Piece[]) => pieces.reduce((sum, piece) => sum + mostCharacters(piece, repetitions), 0);
  if (options !== undefined) return Math.max(0, ...options.map(row));
  return stack === undefined ? 1 : row(stack);
}
