/** One event of a sequence as a drawing in its row. Lengths are CSS pixels. */
import type { EventRow } from "../../timeline/timeline.ts";
import { type Lifelines, outsideWidth, senderOf, timeMargin, type VisibleRange } from "./lifelines.ts";

export const arrowRowHeight = 26;
/** Y of the arrow in its row. */
const line = 20;
/** Width of the loop of an event that an actor sends to itself. */
const loop = 26;
/** Width of one. */
const letter = 6.7;
/** Least number of letters that identify an event. */
const enough = 24;

export interface Arrow {
  /** SVG path of the line. */
  path: string;
  /** The arrow's point. */
  head: string;
  text: { x: number; anchor: "start" | "end" };
  /** Number of letters that fit. */
  letters: number;
  /** The way to an arrow that is out of sight. */
  beyond?: "left" | "right";
}

/** Undefined where one of the actors has no column. What comes from outside begins at the left edge. */
export function arrowOf(
  row: Pick<EventRow, "source" | "target">,
  { lines }: Lifelines,
  sight: VisibleRange,
): Arrow | undefined {
  const sender = senderOf(row);
  const to = lines.find(({ actor }) => actor === row.target.actor)?.x;
  const from = sender === undefined ? fromOutside : lines.find(({ actor }) => actor === sender.actor)?.x;
  if (to === undefined || from === undefined) return undefined;
  return from === to ? loopAt(to, sight) : straight(from, to, sight);
}

/** X at which arrows from outside begin. */
export const fromOutside = timeMargin + outsideWidth / 4;

function straight(from: number, to: number, sight: VisibleRange): Arrow {
  const way = Math.sign(to - from);
  return {
    path: `M${from} ${line}H${to - way * 3}`,
    head: headAt(to - way, way),
    ...textAt(Math.min(from, to) + 8, Math.max(from, to), sight),
  };
}

function loopAt(x: number, sight: VisibleRange): Arrow {
  return {
    path: `M${x} ${line - 9}h${loop - 6}q6 0 6 4.5t-6 4.5H${x + 3}`,
    head: headAt(x + 1, -1),
    ...textAt(x + loop + 6, x + loop + 6, sight, x - 8),
  };
}

const headAt = (x: number, way: number): string => `M${x} ${line}l${-way * 7} -3.5v7z`;

/**
 * The text stays in sight: from `x` on; where too little room is left, up to `before` or the right edge; else at the edge
 * beyond which the arrow is.
 */
function textAt(
  x: number,
  end: number,
  sight: VisibleRange,
  before = Infinity,
): Pick<Arrow, "text" | "letters" | "beyond"> {
  const first = sight.left + timeMargin + outsideWidth;
  const last = sight.right - 6;
  const start = Math.max(x, sight.left === 0 ? x : first);
  const lettersFrom = (from: number) => Math.floor((last - from) / letter);
  if (x > last || lettersFrom(start) < enough) {
    const beyond = Math.min(x, before) > last ? { beyond: "right" as const } : {};
    const until = Math.max(first, Math.min(last, before));
    return { text: { x: until, anchor: "end" }, letters: Math.floor((until - first) / letter), ...beyond };
  }
  const beyond = end < first ? { beyond: "left" as const } : {};
  return { text: { x: start, anchor: "start" }, letters: lettersFrom(start), ...beyond };
}

/** Milliseconds; below it, events count as one after the other. */
const notable = 100;

/** Milliseconds without events before this one; undefined if too short to be shown. */
export function gapBefore(at: number, before: number | undefined): number | undefined {
  if (before === undefined) return undefined;
  const gap = at - before;
  return gap > notable ? gap : undefined;
}
