/// <reference lib="dom" />
/** The events that the filter lets through: one list for the events' and the sequence's view. */
import { computed, effect, signal } from "@preact/signals";
import { api, attempt } from "../api.ts";
import { latestOnly } from "../latest_only.ts";
import {
  anchorPosition,
  currentTab,
  eventCount,
  eventFilter,
  feedStatus,
  followsEnd,
  inSession,
  isLoaded,
  sourceId,
  sticksToEnd,
} from "../state.ts";
import { EventPages } from "./event_pages.ts";

/** The filter as text: an equal filter does not make new pages. */
const settledFilter = computed(() => JSON.stringify(eventFilter.value));

/** Undefined where there is no session. */
export const eventPages = computed((): EventPages | undefined => {
  const source = sourceId.value;
  const filter = JSON.parse(settledFilter.value);
  if (source === undefined || !inSession.value) return undefined;
  return new EventPages((from, count) => attempt("events", () => api.events(source, filter, from, count)));
});

/** Index of the row at which the page stands: the last one before the position. Undefined at the end, and before all. */
export const currentIndex = signal<number | undefined>(undefined);

const findCurrent = latestOnly<{ source: string; filter: string; at: number }>(
  async ({ source, filter, at }) => {
    const before = await attempt(
      "events",
      () => api.rowsUpTo(source, JSON.parse(filter), at, eventCount.peek()),
    );
    const current = sourceId.value === source && settledFilter.value === filter &&
      anchorPosition.value === at;
    if (before !== undefined && current) {
      currentIndex.value = before > 0 ? before - 1 : undefined;
    }
  },
);

const grew = latestOnly<EventPages>((pages) => {
  pages.grew(sticksToEnd.value);
  return Promise.resolve();
}, { pauseMs: () => 200 });

/** The chart needs none of it. */
const looked = computed(() => isLoaded.value && currentTab.value !== "chart");

/** Keeps the list and the current row up to date as the recording grows and the position moves. */
export function followEvents(): void {
  effect(() => {
    const pages = eventPages.value;
    if (pages === undefined || !looked.value) return;
    void [eventCount.value, feedStatus.value]; // After a break, what was asked for in vain, too.
    grew(pages);
  });
  effect(() => {
    const [source, filter] = [sourceId.value, settledFilter.value];
    if (source === undefined || !looked.value) return;
    void feedStatus.value; // As above.
    if (followsEnd.value) currentIndex.value = undefined;
    else findCurrent({ source, filter, at: anchorPosition.value });
  });
}
