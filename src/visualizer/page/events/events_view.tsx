/// <reference lib="dom" />
/** Every event as a row, a million of them as well as ten. */
import { computed, effect, signal } from "@preact/signals";
import type { EventRow } from "../../timeline/timeline.ts";
import { endsOf, onClock, shortType, sinceStart } from "../format.ts";
import { selectEvent, setFilter } from "../navigate.ts";
import { ProblemMessage } from "../parts/problem_message.tsx";
import { VirtualList } from "../parts/virtual_list.tsx";
import { eventFilterState, recordingOverview, selectedEvent, sticksToEnd } from "../state.ts";
import { FilterBar } from "./filter_bar.tsx";
import { moveByKeys } from "../time_bar/step_by.ts";
import { currentIndex, eventPages } from "./follow_events.ts";

/** In letters. */
interface Columns {
  ends: number;
  type: number;
}

export const minColumnWidth: Columns = { ends: 12, type: 14 };

const most: Columns = { ends: 32, type: 46 };

/** Columns only grow: nothing moves back and forth while one scrolls. */
export function widestCell(rows: Iterable<EventRow>, { ends, type }: Columns): Columns {
  for (const row of rows) {
    const { from, to } = endsOf(row);
    ends = Math.max(ends, from.length + to.length + 3);
    type = Math.max(type, shortType(row.type).length + (row.trouble ? 2 : 0));
  }
  return { ends: Math.min(ends, most.ends), type: Math.min(type, most.type) };
}

const rowHeight = 22;
const clock = signal(false);
const total = computed(() => eventPages.value?.total.value);
const shown = signal({ from: 0, to: 0 });
const want = computed(() => {
  const pages = eventPages.value;
  return (from: number, to: number) => {
    shown.value = { from, to };
    pages?.want(from, to);
  };
});

const columns = signal(minColumnWidth);
/** Another list begins with narrow columns. */
effect(() => {
  void eventPages.value;
  columns.value = minColumnWidth;
});
effect(() => {
  const pages = eventPages.value;
  void pages?.version.value;
  const { from, to } = shown.value;
  const rows = Array.from({ length: to - from }, (_, index) => pages?.row(from + index));
  const found = widestCell(rows.filter((row) => row !== undefined), columns.peek());
  if (found.ends !== columns.peek().ends || found.type !== columns.peek().type) columns.value = found;
});
/** The style knows how wide a letter is. */
const columnStyle = computed(() => ({
  "--ends-letters": String(columns.value.ends),
  "--type-letters": String(columns.value.type),
}));

export function EventsView() {
  void eventPages.value?.version.value; // Drawn again as pages come.
  return (
    <div class="events" style={columnStyle.value}>
      <FilterBar total={total.value} />
      <ProblemMessage place="events" />
      <div class="event-head" aria-hidden="true">
        <button
          type="button"
          tabIndex={-1}
          onClick={() => void (clock.value = !clock.value)}
          title="Since the start, or on the clock"
        >
          {clock.value ? "clock" : "time"} ⇄
        </button>
        <span>from → to</span>
        <span>event</span>
        <span>summary</span>
      </div>
      <VirtualList
        count={total.value ?? 0}
        rowHeight={rowHeight}
        role="listbox"
        label="Events"
        active={currentIndex.value === undefined ? undefined : `event-${currentIndex.value}`}
        current={currentIndex.value}
        sticksToEnd={sticksToEnd.value}
        onKeyDown={moveByKeys}
        onWindow={want.value}
        render={(index) => <Row key={index} index={index} row={eventPages.value?.row(index)} />}
        empty={<Empty />}
      />
    </div>
  );
}

function Empty() {
  if (total.value === undefined) return <div class="empty">Reading …</div>;
  if (recordingOverview.value?.events === 0) return <div class="empty">No event is recorded yet.</div>;
  const { since, until } = eventFilterState.value;
  return (
    <div class="empty">
      <h2>No event fits the filter</h2>
      <p>
        {since !== undefined || until !== undefined ? "The filter is limited to a span of time. " : ""}
        XState's own events are left out unless asked for.
      </p>
      <button
        type="button"
        onClick={() => setFilter({ scope: "all", type: "", text: "", since: undefined, until: undefined })}
      >
        Clear the filter
      </button>
    </div>
  );
}

function Row({ index, row }: { index: number; row: EventRow | undefined }) {
  if (row === undefined) return <div class="event-row quiet" role="option" aria-selected="false">…</div>;
  const selected = selectedEvent.value === row.position;
  const startedAt = recordingOverview.value?.header.startedAt;
  const { from, to } = endsOf(row);
  const names = [
    "event-row",
    selected && "selected",
    index === currentIndex.value && "current",
    row.ignored && "ignored",
    row.trouble && "trouble",
  ];
  return (
    <div
      class={names.filter(Boolean).join(" ")}
      role="option"
      id={`event-${index}`}
      aria-selected={selected}
      title={row.ignored ? "Ignored: its receiver had no transition for it" : row.gist}
      onClick={() => selectEvent(row)}
    >
      <span class="at">
        {clock.value && startedAt !== undefined ? onClock(startedAt, row.at) : sinceStart(row.at)}
      </span>
      <span title={`${row.source?.id ?? "outside"} → ${row.target.id}`}>
        <span class="quiet">{from} →</span> {to}
      </span>
      <span class="type" title={row.type}>{row.trouble && "✗ "}{shortType(row.type)}</span>
      <span class="gist">{row.gist}</span>
    </div>
  );
}
