/// <reference lib="dom" />
/** All of the time: how much happened when, where it went wrong, and where the page stands. */
import { computed } from "@preact/signals";
import { useRef } from "preact/hooks";
import { setFilter } from "../navigate.ts";
import {
  densityMs,
  errorMarks,
  eventFilterState,
  recordingDuration,
  recordingOverview,
  shownMs,
} from "../state.ts";
import { sinceStart } from "../format.ts";
import { draggedMs, scrubTo } from "./step_by.ts";

const bars = computed(() =>
  densityPath(recordingOverview.value?.density ?? [], timeFraction(densityMs.value, recordingDuration.value))
);
const marks = computed(() => marksPath(errorMarks.value.map(({ at }) => at), recordingDuration.value));

export function Track() {
  const track = useRef<HTMLDivElement>(null);
  /** Start of a span that is being drawn with Shift. */
  const spanFrom = useRef<number | undefined>(undefined);
  const msAt = ({ clientX }: PointerEvent) => {
    const { left, width } = (track.current as HTMLDivElement).getBoundingClientRect();
    return Math.max(0, Math.min(1, (clientX - left) / width)) * recordingDuration.value;
  };
  const go = (event: PointerEvent) => {
    const ms = msAt(event);
    if (spanFrom.current === undefined) {
      scrubTo(ms);
    } else {
      // Whole milliseconds, so that the address stays readable.
      const [since, until] = [Math.min(spanFrom.current, ms), Math.max(spanFrom.current, ms)];
      setFilter({ since: Math.floor(since), until: Math.ceil(until) });
    }
  };
  const begin = (event: PointerEvent) => {
    if (event.button !== 0) return;
    track.current?.setPointerCapture(event.pointerId);
    spanFrom.current = event.shiftKey ? msAt(event) : undefined;
    if (!event.shiftKey) go(event);
  };
  const end = () => void (spanFrom.current = undefined);
  const ms = draggedMs.value ?? shownMs.value;
  return (
    <div
      class="track"
      ref={track}
      role="slider"
      tabIndex={0}
      aria-label="Time"
      aria-valuemin={0}
      aria-valuemax={Math.round(recordingDuration.value)}
      aria-valuenow={Math.round(ms)}
      aria-valuetext={sinceStart(ms)}
      title="Drag to go through time; drag with Shift to list only the events of a span"
      onPointerDown={begin}
      onPointerMove={(event) =>
        event.buttons === 1 && track.current?.hasPointerCapture(event.pointerId) && go(event)}
      onPointerUp={end}
      onPointerCancel={end}
    >
      <svg viewBox={`0 0 ${barsWidth} ${barsHeight}`} preserveAspectRatio="none" aria-hidden="true">
        <rect class="ground" width={barsWidth} height={barsHeight} />
        <path class="density" d={bars.value} />
        <Span />
        <path class="marks" d={marks.value} />
      </svg>
      <div class="cursor" style={{ left: `${timeFraction(ms, recordingDuration.value) * 100}%` }} />
    </div>
  );
}

function Span() {
  const { since = 0, until = recordingDuration.value } = eventFilterState.value;
  if (eventFilterState.value.since === undefined && eventFilterState.value.until === undefined) return null;
  const [from, to] = [
    timeFraction(since, recordingDuration.value) * barsWidth,
    timeFraction(until, recordingDuration.value) * barsWidth,
  ];
  return <rect class="span" x={from} width={Math.max(1, to - from)} height={barsHeight} />;
}

/** Size of the picture that histogram and marks are drawn in. */
const barsWidth = 1000;

const barsHeight = 100;

/**
 * One bar for each bucket; the square root keeps few events visible next to very many.
 *
 * @param share of the whole time that the buckets cover
 */
export function densityPath(density: readonly number[], share = 1): string {
  const most = Math.sqrt(Math.max(1, ...density));
  const wide = share * barsWidth / density.length;
  return density.map((events, index) => {
    if (events === 0) return "";
    const high = Math.max(6, (Math.sqrt(events) / most) * (barsHeight - 10));
    return bar(index * wide, barsHeight - high, wide, high);
  }).join("");
}

/** A mark for each time; those that would cover each other are one. */
export function marksPath(times: readonly number[], duration: number): string {
  const places = new Set(times.map((ms) => Math.round(timeFraction(ms, duration) * (barsWidth / 2)) * 2));
  return [...places].map((x) => bar(Math.min(x, barsWidth - 3), 0, 3, 22)).join("");
}

/** From 0 to 1. */
export const timeFraction = (ms: number, duration: number): number =>
  duration <= 0 ? 1 : Math.max(0, Math.min(1, ms / duration));

const round = (value: number): number => Math.round(value * 100) / 100;

const bar = (x: number, y: number, wide: number, high: number): string =>
  `M${round(x)} ${round(y)}h${round(wide)}v${round(high)}h${-round(wide)}z`;
