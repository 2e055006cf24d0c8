/** A part of the picture that is laid out by itself and then put into a larger one. */
import type { Box, ChartPoint, LaidOutEdge } from "./chart.ts";

/** Coordinates count from the part's own corner. */
export interface PlacedChart {
  width: number;
  height: number;
  states: Map<string, Box>;
  edges: LaidOutEdge[];
  initials: { state: string; points: ChartPoint[] }[];
  /** Points at which edges cross the border, by port name. */
  ports: Map<string, ChartPoint>;
  /** Inner parts of the edges that cross the border, by the edge's number. */
  ends: Map<number, EdgeEnd>;
}

export interface EdgeEnd {
  points: ChartPoint[];
  /** On the part that begins at the line's source. */
  label?: LaidOutEdge["label"];
}

export const emptyPlaced = (width: number, height: number): PlacedChart => ({
  width,
  height,
  states: new Map(),
  edges: [],
  initials: [],
  ports: new Map(),
  ends: new Map(),
});

/** Moves a part into a larger one. Its ports and open lines stay its own. */
export function placeChild(whole: PlacedChart, part: PlacedChart, by: ChartPoint): void {
  for (const [id, box] of part.states) whole.states.set(id, { ...box, ...movedPoint(box, by) });
  whole.edges.push(...part.edges.map((edge) => ({
    ...edge,
    points: edge.points.map((point) => movedPoint(point, by)),
    label: { ...edge.label, ...movedPoint(edge.label, by) },
  })));
  whole.initials.push(...part.initials.map(({ state, points }) => ({
    state,
    points: points.map((point) => movedPoint(point, by)),
  })));
}

export const movedPoint = ({ x, y }: ChartPoint, by: ChartPoint): ChartPoint => ({
  x: roundPixels(x + by.x),
  y: roundPixels(y + by.y),
});

/** Rounds to a tenth of a pixel: finer is not visible, and short numbers keep pictures small. */
export const roundPixels = (value: number): number => Math.round(value * 10) / 10;

/** Width from which on texts are not legible on a screen of 1280 pixels. */
const legibleWidth = 1280 * 1.6;

/**
 * Rates how badly a picture of this size fits a screen: lower is better. Counts how far it must shrink for 1280
 * pixels of width with some scrolling and, to a lesser degree, its area; more than that, that its texts are not legible.
 */
export const layoutMisfit = ({ width, height }: { width: number; height: number }): number =>
  Math.max(width / 1280, height / 1200) + Math.sqrt(width * height) / 6000 +
  Math.max(0, width - legibleWidth) / 100;
