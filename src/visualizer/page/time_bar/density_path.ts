/** The histogram and the marks of the time bar as SVG paths, in a picture 1000 wide and 100 high. */

export const barsWidth = 1000;
export const barsHeight = 100;

/**
 * One bar for each bucket; the square root keeps few events in sight beside very many.
 *
 * @param share of the whole time that the buckets cover
 */
export function densityPath(density: readonly number[], share = 1): string {
  const most = Math.sqrt(Math.max(1, ...density));
  const wide = share * barsWidth / density.length;
  return density.map((events, index) => {
    if (events === 0) return "";
    const high = Math.max(6, (Math.sqrt(events) / most) * (barsHeight - 10));
    return bar(index * wide, barsHeight - high, wide, high);
  }).join("");
}

/** A mark for each time; those that would cover each other are one. */
export function marksPath(times: readonly number[], duration: number): string {
  const places = new Set(times.map((ms) => Math.round(timeFraction(ms, duration) * (barsWidth / 2)) * 2));
  return [...places].map((x) => bar(Math.min(x, barsWidth - 3), 0, 3, 22)).join("");
}

/** From 0 to 1. */
export const timeFraction = (ms: number, duration: number): number =>
  duration <= 0 ? 1 : Math.max(0, Math.min(1, ms / duration));

const round = (value: number): number => Math.round(value * 100) / 100;
const bar = (x: number, y: number, wide: number, high: number): string =>
  `M${round(x)} ${round(y)}h${round(wide)}v${round(high)}h${-round(wide)}z`;
