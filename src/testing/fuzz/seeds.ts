/** Seeds: one for everything, and from it one for each tool, so that a tool alone is drawn as among others. */

/** FNV-1a of a text, as a signed 32-bit number, which is what fast-check takes. */
function hash(text: string): number {
  let state = 0x811c9dc5;
  for (const unit of new TextEncoder().encode(text)) state = Math.imul(state ^ unit, 0x01000193);
  return state | 0;
}

export const toolSeed = (seed: number, tool: string): number => hash(`${seed} ${tool}`);

/** Six characters that name a fault in files and names. */
export const shortHash = (text: string): string => (hash(text) >>> 0).toString(36).padStart(7, "0").slice(-6);

/** A new seed where none was given: short enough to be typed. */
export const freshSeed = (): number => crypto.getRandomValues(new Uint32Array(1))[0]! % 1_000_000;

/**
 * Parameters that draw the same again. Unbiased: fast-check would begin with many empty texts, and the borders are
 * listed.
 */
export const drawing = (seed: number, numRuns: number) => ({ seed, numRuns, unbiased: true });
