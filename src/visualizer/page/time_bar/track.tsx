/// <reference lib="dom" />
/** All of the time: how much happened when, where it went wrong, and where the page stands. */
import { computed } from "@preact/signals";
import { useRef } from "preact/hooks";
import { sinceStart } from "../format/time.ts";
import { setFilter } from "../navigate.ts";
import { densityMs, duration, filter, overview, shownMs, trouble } from "../state.ts";
import { densityPath, fraction, height, marksPath, width } from "./bars.ts";
import { draggedMs, scrubTo } from "./step.ts";

const bars = computed(() =>
  densityPath(overview.value?.density ?? [], fraction(densityMs.value, duration.value))
);
const marks = computed(() => marksPath(trouble.value.map(({ at }) => at), duration.value));

export function Track() {
  const track = useRef<HTMLDivElement>(null);
  /** Where a span begins that is drawn with Shift. */
  const spanFrom = useRef<number | undefined>(undefined);
  const msAt = ({ clientX }: PointerEvent) => {
    const { left, width } = (track.current as HTMLDivElement).getBoundingClientRect();
    return Math.max(0, Math.min(1, (clientX - left) / width)) * duration.value;
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
      aria-valuemax={Math.round(duration.value)}
      aria-valuenow={Math.round(ms)}
      aria-valuetext={sinceStart(ms)}
      title="Drag to go through time; drag with Shift to list only the events of a span"
      onPointerDown={begin}
      onPointerMove={(event) =>
        event.buttons === 1 && track.current?.hasPointerCapture(event.pointerId) && go(event)}
      onPointerUp={end}
      onPointerCancel={end}
    >
      <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
        <rect class="ground" width={width} height={height} />
        <path class="density" d={bars.value} />
        <Span />
        <path class="marks" d={marks.value} />
      </svg>
      <div class="cursor" style={{ left: `${fraction(ms, duration.value) * 100}%` }} />
    </div>
  );
}

function Span() {
  const { since = 0, until = duration.value } = filter.value;
  if (filter.value.since === undefined && filter.value.until === undefined) return null;
  const [from, to] = [fraction(since, duration.value) * width, fraction(until, duration.value) * width];
  return <rect class="span" x={from} width={Math.max(1, to - from)} height={height} />;
}
