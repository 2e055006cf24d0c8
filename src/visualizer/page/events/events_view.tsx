/// <reference lib="dom" />
/** Every event as a row, a million of them as well as ten. */
import { computed, signal } from "@preact/signals";
import type { EventRow } from "../../timeline/timeline.ts";
import { shortId, shortType } from "../format/names.ts";
import { onClock, sinceStart } from "../format/time.ts";
import { selectEvent, setFilter } from "../navigate.ts";
import { Problem } from "../parts/problem.tsx";
import { VirtualList } from "../parts/virtual_list.tsx";
import { filter, overview, selectedEvent, sticksToEnd } from "../state.ts";
import { step } from "../time_bar/step.ts";
import { FilterBar } from "./filter_bar.tsx";
import { currentIndex, eventPages } from "./shown_events.ts";

const rowHeight = 22;
const clock = signal(false);
const total = computed(() => eventPages.value?.total.value);
const want = computed(() => {
  const pages = eventPages.value;
  return (from: number, to: number) => pages?.want(from, to);
});

export function EventsView() {
  void eventPages.value?.version.value; // Drawn anew as pages come.
  return (
    <>
      <FilterBar total={total.value} />
      <Problem place="events" />
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
        <span>what matters of it</span>
      </div>
      <VirtualList
        count={total.value ?? 0}
        rowHeight={rowHeight}
        role="listbox"
        label="Events"
        active={currentIndex.value === undefined ? undefined : `event-${currentIndex.value}`}
        current={currentIndex.value === undefined || currentIndex.value < 0 ? undefined : currentIndex.value}
        sticksToEnd={sticksToEnd.value}
        onKeyDown={moveByKeys}
        onWindow={want.value}
        render={(index) => <Row key={index} index={index} row={eventPages.value?.row(index)} />}
        empty={<Empty />}
      />
    </>
  );
}

function moveByKeys(event: KeyboardEvent): void {
  if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
  event.preventDefault();
  void step(event.key === "ArrowUp" ? -1 : 1, false);
}

function Empty() {
  if (total.value === undefined) return <div class="empty">Reading …</div>;
  if (overview.value?.events === 0) return <div class="empty">No event is recorded yet.</div>;
  const { since, until } = filter.value;
  return (
    <div class="empty">
      <h2>No event fits the filter</h2>
      <p>
        {since !== undefined || until !== undefined ? "Only a span of time is looked at. " : ""}
        XState's own events are left out unless asked for.
      </p>
      <button
        type="button"
        onClick={() => setFilter({ scope: "all", type: "", text: "", since: undefined, until: undefined })}
      >
        Take the filter away
      </button>
    </div>
  );
}

function Row({ index, row }: { index: number; row: EventRow | undefined }) {
  if (row === undefined) return <div class="event-row quiet" role="option" aria-selected="false">…</div>;
  const selected = selectedEvent.value === row.position;
  const startedAt = overview.value?.header.startedAt;
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
      title={row.ignored ? "Nothing came of it: its receiver has no transition for it there" : row.gist}
      onClick={() => selectEvent(row)}
    >
      <span class="at">
        {clock.value && startedAt !== undefined ? onClock(startedAt, row.at) : sinceStart(row.at)}
      </span>
      <span>
        <span class="quiet">{row.source ? shortId(row.source.id) : "outside"} →</span>{" "}
        {shortId(row.target.id)}
      </span>
      <span class="type" title={row.type}>{row.trouble && "✗ "}{shortType(row.type)}</span>
      <span class="gist">{row.gist}</span>
    </div>
  );
}
