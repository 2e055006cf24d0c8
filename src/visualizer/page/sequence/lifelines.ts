/** The columns of a sequence: which actors have one, in which order, and where. Lengths are CSS pixels. */
import type { ActorName, EventRow } from "../../timeline/timeline.ts";
import { isWork } from "../format.ts";

export interface ActorLifeline extends ActorName {
  /** Middle of its column. */
  x: number;
}

export interface Lifelines {
  lines: ActorLifeline[];
  /** Width of all columns with their margins. */
  width: number;
  /** Room for one. */
  column: number;
}

/** Room for the time, and then for what comes from outside. */
export const timeMargin = 84;
export const outsideWidth = 44;
const least = 80;
const most = 220;

/** Rows whose actors have columns: more than those in sight, so that scrolling by a row does not move all columns. */
const chunk = 20;
export const columnWindow = ({ from, to }: { from: number; to: number }) => ({
  from: Math.floor(from / chunk) * chunk,
  to: Math.ceil(to / chunk) * chunk,
});

/**
 * The actor at whose line an event begins. Work only answers the actor that invoked it, so it has no line of its
 * own: its end is drawn as an event that the actor sends to itself.
 */
export const senderOf = ({ source, target }: Pick<EventRow, "source" | "target">): ActorName | undefined =>
  source !== undefined && isWork(source) ? target : source;

/** Senders and receivers of these rows, and those that are always shown, in the order in which they were started. */
export function actorsOf(rows: readonly EventRow[], always: readonly ActorName[]): ActorName[] {
  const names = new Map<string, ActorName>();
  for (const { actor, id } of always) names.set(actor, { actor, id });
  for (const row of rows) {
    const sender = senderOf(row);
    if (sender !== undefined) names.set(sender.actor, sender);
    names.set(row.target.actor, row.target);
  }
  return [...names.values()].sort((a, b) => byStart.compare(a.actor, b.actor));
}

/** XState counts its actors: `x:2` was started before `x:10`. */
const byStart = new Intl.Collator("en", { numeric: true });

/** Horizontal range that is visible of columns that are wider than the viewport. */
export interface VisibleRange {
  left: number;
  right: number;
}

/** Columns share the room that there is; where it is too little, they are wider than it. */
export function placeLifelines(actors: readonly ActorName[], room: number): Lifelines {
  const start = timeMargin + outsideWidth;
  const column = Math.min(most, Math.max(least, Math.floor((room - start) / Math.max(1, actors.length))));
  const lines = actors.map(({ actor, id }, index) => ({ actor, id, x: start + (index + 0.5) * column }));
  return { lines, width: Math.max(room, start + actors.length * column), column };
}
