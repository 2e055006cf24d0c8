/// <reference lib="dom" />
/** The Sequence tab: who sent what to whom, in order, with a line for each actor. */
import { useComputed, useSignal } from "@preact/signals";
import { useCallback, useLayoutEffect, useRef } from "preact/hooks";
import type { EventRow } from "../../timeline/timeline.ts";
import { api } from "../api.ts";
import { isWide } from "../chart/shown_chart.ts";
import { currentIndex, eventPages } from "../events/follow_events.ts";
import { FilterBar } from "../events/filter_bar.tsx";
import { selectActor, selectEvent } from "../navigate.ts";
import { ProblemMessage } from "../parts/problem_message.tsx";
import { VirtualList } from "../parts/virtual_list.tsx";
import * as state from "../state.ts";
import { arrowRowHeight } from "./arrow.ts";
import {
  actorsOf,
  columnWindow,
  type Lifelines,
  outsideWidth,
  placeLifelines,
  timeMargin,
} from "./lifelines.ts";
import { WideSwitch } from "../chart/chart_toolbar.tsx";
import { moveByKeys } from "../time_bar/step_by.ts";
import { fittedName, groupedDigits, shortId } from "../format.ts";
import { actorsById, selectedActor } from "../state.ts";
import { SequenceRow } from "./sequence_row.tsx";

/** Rows of an exported diagram; more are not readable. */
const exported = 200;

export function SequenceView() {
  const pages = eventPages.value;
  const shown = useSignal({ from: 0, to: 0 });
  const room = useSignal(800);
  const shift = useSignal(0);
  const frame = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    // Without the scroll bar: columns that just fit are not to be scrolled.
    const look = () => void (room.value = Math.max(320, (frame.current?.clientWidth ?? 800) - 16));
    const observer = new ResizeObserver(look);
    observer.observe(frame.current as HTMLDivElement);
    return () => observer.disconnect();
  }, []);

  const lifelines = useComputed(() => {
    const pages = eventPages.value;
    void pages?.version.value;
    const { from, to } = columnWindow(shown.value);
    const rows: EventRow[] = [];
    for (let index = from; index < to; index++) {
      const row = pages?.row(index);
      if (row !== undefined) rows.push(row);
    }
    return placeLifelines(actorsOf(rows, alwaysShown()), room.value);
  });
  const onWindow = useCallback((from: number, to: number) => {
    shown.value = { from, to };
    const columns = columnWindow({ from, to });
    pages?.want(columns.from, columns.to);
  }, [pages]);

  void pages?.version.value;
  const total = pages?.total.value ?? 0;
  const { lines } = lifelines.value;
  const through = lines.map(({ x }) => `M${x} 0V${arrowRowHeight}`).join("");
  const current = currentIndex.value;
  return (
    <div
      class={`sequence${isWide.value ? " wide" : ""}`}
      ref={frame}
      onScrollCapture={(event) => shift.value = leftOf(event)}
    >
      <div class="seq-tools">
        <FilterBar total={pages?.total.value} />
        <WideSwitch />
        <ExportLink from={shown.value.from} total={total} />
      </div>
      <ProblemMessage place="events" />
      <LifelineHeads lifelines={lifelines.value} shift={shift.value} onSelect={selectActor} />
      <VirtualList
        count={total}
        rowHeight={arrowRowHeight}
        role="listbox"
        label="Events between actors, in order"
        active={current === undefined ? undefined : `event-${current}`}
        current={current}
        sticksToEnd={state.sticksToEnd.value}
        onWindow={onWindow}
        onKeyDown={moveByKeys}
        empty={
          <p class="empty">
            {pages?.total.value === undefined
              ? "Fetching events …"
              : "No event fits the filter. Widen it, or clear it."}
          </p>
        }
        render={(index) => {
          const row = pages?.row(index);
          return (
            <SequenceRow
              key={index}
              id={`event-${index}`}
              row={row}
              before={index === 0 ? undefined : pages?.row(index - 1)?.at}
              lifelines={lifelines.value}
              through={through}
              sight={{ left: shift.value, right: shift.value + room.value }}
              selected={row !== undefined && row.position === state.selectedEvent.value}
              current={index === current}
              onSelect={selectEvent}
            />
          );
        }}
      />
    </div>
  );
}

const leftOf = (event: Event): number => (event.target as HTMLElement).scrollLeft;

/** The selected actor, and who started it. */
function alwaysShown() {
  const known = state.actorsById.value;
  const row = known.get(state.selectedActor.value ?? "");
  const parent = known.get(row?.parent ?? "");
  return [parent, row].filter((one) => one !== undefined);
}

function ExportLink({ from, total }: { from: number; total: number }) {
  const source = state.sourceId.value;
  if (source === undefined || total === 0) return null;
  const count = Math.min(exported, total - from);
  return (
    <a
      href={api.sequencePath(source, state.eventFilter.value, from, count)}
      download="sequence.mmd"
      title={`Save ${groupedDigits(count)} events, from the first in sight on, as a Mermaid sequence diagram`}
    >
      Mermaid
    </a>
  );
}

/** Width of one, about. */
const letter = 9;

interface HeadsProps {
  lifelines: Lifelines;
  /** Horizontal scroll position of the rows. */
  shift: number;
  onSelect(actor: string): void;
}

function LifelineHeads({ lifelines, shift, onSelect }: HeadsProps) {
  const { lines, width, column } = lifelines;
  return (
    <div class="seq-heads">
      <div class="seq-heads-all" style={{ width: `${width}px`, transform: `translateX(${-shift}px)` }}>
        <span class="seq-outside" style={{ left: `${timeMargin - 14}px`, width: `${outsideWidth + 10}px` }}>
          outside
        </span>
        {lines.map(({ actor, id, x }) => {
          const known = actorsById.value.get(actor);
          const what = known?.machine ?? known?.slot;
          return (
            <button
              key={actor}
              type="button"
              class={`seq-head-name${known ? "" : " ended"}`}
              aria-pressed={actor === selectedActor.value}
              title={`${id} (${actor})${what ? `: ${what}` : ""}${known ? "" : "; not alive at this moment"}`}
              style={{ left: `${x - column / 2 + 3}px`, width: `${column - 6}px` }}
              onClick={() => onSelect(actor)}
            >
              <span>{fittedName(shortId(id), Math.max(7, Math.floor((column - 16) / letter)))}</span>
              <small>{what ?? actor}</small>
            </button>
          );
        })}
      </div>
    </div>
  );
}
