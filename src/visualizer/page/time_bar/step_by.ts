/// <reference lib="dom" />
/** Moves through time: by events, by trouble, or to a time. */
import { batch, signal } from "@preact/signals";
import type { ErrorMark, EventFilter } from "../../timeline/timeline.ts";
import { api, attempt } from "../api.ts";
import { latestOnly } from "../latest_only.ts";
import { followEnd, seekTo, selectEvent } from "../navigate.ts";
import * as state from "../state.ts";

/** Time that the pointer is dragged to, until the position at that time is known. */
export const draggedMs = signal<number | undefined>(undefined);

const stand = latestOnly<{ source: string; ms: number }>(async ({ source, ms }) => {
  const found = await attempt("time", () => api.position(source, ms));
  batch(() => {
    if (found !== undefined && state.sourceId.value === source) seekTo(found.position, ms);
    // Not where the pointer is further on by now.
    if (draggedMs.value === ms) draggedMs.value = undefined;
  });
});

export function scrubTo(ms: number): void {
  const source = state.sourceId.value;
  if (source === undefined) return;
  draggedMs.value = Math.max(0, Math.min(ms, state.recordingDuration.value));
  stand({ source, ms: draggedMs.value });
}

let stepping = false;

/** To the next event (`1`) or the one before (`-1`) of those that the filter lets through, or of the selected actor. */
export async function stepBy(by: 1 | -1, ofActor: boolean): Promise<void> {
  const source = state.sourceId.value;
  if (stepping || source === undefined || !state.isLoaded.value) return;
  stepping = true;
  const row = await attempt("time", () => nextRow(source, filterOf(ofActor), by));
  stepping = false;
  if (row === undefined || state.sourceId.value !== source) return;
  if (row !== null) selectEvent(row);
  else if (by > 0 && state.isLive.value) followEnd();
}

/** Null where there is none. */
async function nextRow(source: string, filter: EventFilter, by: 1 | -1) {
  const selected = state.selectedEvent.value;
  // Back from no event at all is to the last one that happened.
  const from = by < 0 && selected !== undefined ? selected - 1 : state.anchorPosition.value;
  const before = await api.rowsUpTo(source, filter, from, state.eventCount.value);
  const index = by > 0 ? before : before - 1;
  if (index < 0) return null;
  return (await api.events(source, filter, index, 1)).rows[0] ?? null;
}

function filterOf(ofActor: boolean): EventFilter {
  const actor = state.selectedActor.value;
  return ofActor && actor !== undefined ? { actors: [actor], internal: true } : state.eventFilter.value;
}

/** To the nearest trouble after where the page stands, or before it, and to the actor that it befell. */
export async function stepToError(by: 1 | -1): Promise<void> {
  const source = state.sourceId.value;
  const found = nearestError(state.errorMarks.value, state.anchorPosition.value, by);
  if (source === undefined || found === undefined) return;
  const row = await attempt("time", () => api.event(source, found.position));
  if (row === undefined || state.sourceId.value !== source) return;
  batch(() => {
    state.selectedActor.value = found.actor.actor;
    selectEvent(row);
  });
}

export function goToStart(): void {
  seekTo(0, 0);
}

export function moveByKeys(event: KeyboardEvent): void {
  if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
  event.preventDefault();
  void stepBy(event.key === "ArrowUp" ? -1 : 1, false);
}

/** `trouble`: oldest first. After the last comes the first again. */
export const nearestError = (
  trouble: readonly ErrorMark[],
  position: number,
  by: 1 | -1,
): ErrorMark | undefined =>
  by > 0
    ? trouble.find((entry) => entry.position > position) ?? trouble[0]
    : trouble.findLast((entry) => entry.position < position) ?? trouble.at(-1);
