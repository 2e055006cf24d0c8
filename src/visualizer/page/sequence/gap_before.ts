/** Silence between events. */

/** Milliseconds; below it, events count as one after the other. */
const notable = 100;

/** How long nothing happened before an event, in milliseconds; undefined where that is not worth showing. */
export function gapBefore(at: number, before: number | undefined): number | undefined {
  if (before === undefined) return undefined;
  const gap = at - before;
  return gap > notable ? gap : undefined;
}
