/** A part of the picture that is laid out by itself and then put into a larger one. */
import type { Box, LaidOutEdge, Point } from "./chart.ts";

/** Coordinates count from the part's own corner. */
export interface Placed {
  width: number;
  height: number;
  states: Map<string, Box>;
  edges: LaidOutEdge[];
  initials: { state: string; points: Point[] }[];
}

/** Moves a part into a larger one. */
export function putInto(whole: Placed, part: Placed, by: Point): void {
  const move = ({ x, y }: Point): Point => ({ x: round(x + by.x), y: round(y + by.y) });
  for (const [id, box] of part.states) whole.states.set(id, { ...box, ...move(box) });
  whole.edges.push(...part.edges.map((edge) => ({
    ...edge,
    points: edge.points.map(move),
    label: { ...edge.label, ...move(edge.label) },
  })));
  whole.initials.push(...part.initials.map(({ state, points }) => ({ state, points: points.map(move) })));
}

/** A tenth of a pixel is as fine as anybody sees; and short numbers keep pictures small. */
export const round = (value: number): number => Math.round(value * 10) / 10;

/**
 * How badly a picture of this size fits a screen; the less the better. What counts is how far it must be made smaller
 * for a 1280 × 800 window, a little also how large it is.
 */
export const misfit = ({ width, height }: { width: number; height: number }): number =>
  Math.max(width / 1280, height / 800) + Math.sqrt(width * height) / 8000;
