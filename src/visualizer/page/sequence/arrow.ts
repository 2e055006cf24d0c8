/** One event of a sequence as a drawing in its row. Lengths are CSS pixels. */
import type { EventRow } from "../../timeline/timeline.ts";
import { type Lifelines, outside, timeMargin } from "./lifelines.ts";

export const rowHeight = 26;
/** Where in the row the arrow runs. */
const line = 20;
/** How far the loop of an event to oneself goes. */
const loop = 26;
const letter = 6.7;

export interface Arrow {
  /** Of an SVG path. */
  path: string;
  /** The arrow's point. */
  head: string;
  text: { x: number; anchor: "start" | "end" };
  /** How many letters of text fit. */
  letters: number;
}

/** Undefined where the receiver has no column. What comes from outside begins at the left edge. */
export function arrowOf(
  { source, target }: Pick<EventRow, "source" | "target">,
  lifelines: Lifelines,
): Arrow | undefined {
  const to = lifelines.lines.find(({ actor }) => actor === target.actor)?.x;
  const from = source === undefined
    ? timeMargin + outside / 4
    : lifelines.lines.find(({ actor }) => actor === source.actor)?.x;
  if (to === undefined || from === undefined) return undefined;
  return from === to ? loopAt(to, lifelines.width) : straight(from, to, lifelines.width);
}

function straight(from: number, to: number, width: number): Arrow {
  const way = Math.sign(to - from);
  return {
    path: `M${from} ${line}H${to - way * 3}`,
    head: headAt(to - way * 1, way),
    ...textFrom(Math.min(from, to) + 8, width),
  };
}

function loopAt(x: number, width: number): Arrow {
  const top = line - 9;
  return {
    path: `M${x} ${top}h${loop - 6}q6 0 6 4.5t-6 4.5H${x + 3}`,
    head: headAt(x + 1, -1),
    ...textFrom(x + loop + 6, width),
  };
}

const headAt = (x: number, way: number): string => `M${x} ${line}l${-way * 7} -3.5v7z`;

/** From left to right; where too little room is left, so that it ends at the right edge. */
function textFrom(x: number, width: number): Pick<Arrow, "text" | "letters"> {
  const room = Math.floor((width - x - 6) / letter);
  if (room >= 24) return { text: { x, anchor: "start" }, letters: room };
  return {
    text: { x: width - 6, anchor: "end" },
    letters: Math.floor((width - timeMargin - outside) / letter),
  };
}
