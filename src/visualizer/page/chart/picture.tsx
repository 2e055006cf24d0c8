/// <reference lib="dom" />
/** One machine's picture with its tools, and beside it what was clicked or pointed at. */
import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { Highlight } from "../state.ts";
import { ChartToolbar } from "./chart_toolbar.tsx";
import type { ChartRequest } from "./chart_request.ts";
import { Legend } from "./legend.tsx";
import { type MountedPicture, mountPicture } from "./mount_picture.ts";
import type { Pointed } from "./point_out.ts";
import { PointedLine } from "./pointed_line.tsx";
import { followsActiveStates, isWide } from "./shown_chart.ts";
import { StateCard } from "./state_card.tsx";

export function Picture({ drawing, lit }: { drawing: ChartRequest; lit: Highlight | undefined }) {
  const frame = useRef<HTMLDivElement>(null);
  const mounted = useRef<MountedPicture | undefined>(undefined);
  const before = useRef<ChartRequest | undefined>(undefined);
  const chosen = useSignal<string | undefined>(undefined);
  const pointed = useSignal<Pointed | undefined>(undefined);
  const scale = useSignal(1);
  const legend = useSignal(false);

  /** Card and legend would lie over one another. */
  const choose = (state: string | undefined) => {
    chosen.value = state;
    legend.value = false;
  };

  useLayoutEffect(() => {
    const shownScale = scale.value;
    const picture = mountPicture(frame.current as HTMLDivElement, drawing, {
      chosen: choose,
      pointed: (at) => void (pointed.value = at),
      zoomed: (now) => void (scale.value = now),
    });
    // Another picture of the same machine: something was folded, and stays where one looks.
    const known = before.current?.machine === drawing.machine;
    mounted.current = picture;
    before.current = drawing;
    if (chosen.value !== undefined && !(chosen.value in drawing.laidOut.states)) chosen.value = undefined;
    if (known && chosen.value !== undefined) picture.centre(chosen.value, shownScale);
    return picture.remove;
  }, [drawing]);
  useLayoutEffect(() => mounted.current?.light(lit, followsActiveStates.value), [drawing, lit]);
  useEffect(() => mounted.current?.choose(chosen.value), [drawing, chosen.value]);

  return (
    <div class={`chart-view${isWide.value ? " wide" : ""}`}>
      <ChartToolbar
        drawing={drawing}
        lit={lit}
        scale={scale.value}
        picture={() => mounted.current}
        legend={legend}
      />
      <div class="chart-stage" onKeyDown={(event) => event.key === "Escape" && choose(undefined)}>
        <div
          ref={frame}
          class="chart-frame"
          tabIndex={0}
          role="group"
          aria-label={`Chart of ${drawing.machine}. Arrows move it, plus and minus zoom, 0 fits, a goes to the active states, Tab goes to a state.`}
        />
        {legend.value && <Legend onClose={() => void (legend.value = false)} />}
        {chosen.value !== undefined && !legend.value && (
          <StateCard
            drawing={drawing}
            lit={lit}
            state={chosen.value}
            onState={choose}
          />
        )}
      </div>
      <PointedLine chart={drawing.laidOut.chart} lit={lit} pointed={pointed.value} />
    </div>
  );
}
