/** Moves through time: by events, by trouble, or to a time. */
import { signal } from "@preact/signals";
import type { EventFilter, Trouble } from "../../timeline/timeline.ts";
import { api } from "../api.ts";
import { attempt } from "../attempt.ts";
import { latest } from "../latest.ts";
import { followEnd, goToTrouble, selectEvent, standAt } from "../navigate.ts";
import * as state from "../state.ts";

/** Where the pointer drags to, until the position there is known. */
export const draggedMs = signal<number | undefined>(undefined);

const stand = latest<{ source: string; ms: number }>(async ({ source, ms }) => {
  const found = await attempt("source", () => api.position(source, ms));
  if (found !== undefined && state.sourceId.value === source) standAt(found.position, ms);
});

export function scrubTo(ms: number): void {
  const source = state.sourceId.value;
  if (source !== undefined) stand({ source, ms: Math.max(0, Math.min(ms, state.duration.value)) });
}

let stepping = false;

/** To the next event (`1`) or the one before (`-1`) of those that the filter lets through, or of the selected actor. */
export async function step(by: 1 | -1, ofActor: boolean): Promise<void> {
  const source = state.sourceId.value;
  if (stepping || source === undefined || !state.loaded.value) return;
  stepping = true;
  const row = await attempt("events", () => nextRow(source, filterOf(ofActor), by));
  stepping = false;
  if (row === undefined || state.sourceId.value !== source) return;
  if (row !== null) selectEvent(row);
  else if (by > 0 && state.live.value) followEnd();
}

/** Null where there is none. */
async function nextRow(source: string, filter: EventFilter, by: 1 | -1) {
  const at = state.shownPosition.value;
  // Past the end counts as the end: all rows that fit come before it.
  const before = by > 0
    ? await api.rowsUpTo(source, filter, at, state.length.value)
    : await api.rowsUpTo(source, filter, at - 1, state.length.value);
  const index = by > 0 ? before : before - 1;
  if (index < 0) return null;
  return (await api.events(source, filter, index, 1)).rows[0] ?? null;
}

function filterOf(ofActor: boolean): EventFilter {
  const actor = state.selectedActor.value;
  return ofActor && actor !== undefined ? { actors: [actor], internal: true } : state.eventFilter.value;
}

/** To the nearest trouble after the position, or before it. */
export function stepTrouble(by: 1 | -1): void {
  const found = nearestTrouble(state.trouble.value, state.shownPosition.value, by);
  if (found !== undefined) goToTrouble(found);
}

/** `trouble`: oldest first. After the last comes the first again. */
export const nearestTrouble = (
  trouble: readonly Trouble[],
  position: number,
  by: 1 | -1,
): Trouble | undefined =>
  by > 0
    ? trouble.find((entry) => entry.position > position) ?? trouble[0]
    : trouble.findLast((entry) => entry.position < position) ?? trouble.at(-1);

export function goToStart(): void {
  standAt(0, 0);
}
