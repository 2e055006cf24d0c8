/// <reference lib="dom" />
/** A machine's picture with its toolbar, the card of the chosen state and the line on what is pointed at. */
import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { Highlight } from "../state.ts";
import { ChartToolbar } from "./chart_toolbar.tsx";
import type { ChartDrawing } from "./chart_drawing.ts";
import { type MountedPicture, mountPicture } from "./mount_picture.ts";
import { PointedLine } from "./pointed_line.tsx";
import { followsActiveStates, isWide } from "./shown_chart.ts";
import type { Pointed } from "./highlight_chart.ts";
import { StateCard } from "./state_card.tsx";

export function Picture({ drawing, lit }: { drawing: ChartDrawing; lit: Highlight | undefined }) {
  const frame = useRef<HTMLDivElement>(null);
  const mounted = useRef<MountedPicture | undefined>(undefined);
  const before = useRef<ChartDrawing | undefined>(undefined);
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

/** Signs of a chart and their meaning, as the legend shows them. */
const meanings: readonly (readonly [string, string])[] = [
  ["box", "A state. One inside another is a part of it."],
  ["active", "A state in which the actor is now."],
  ["dashed", "Regions side by side: the actor is in one state of each."],
  ["final", "A state in which the machine, or its part, is at an end."],
  ["dot", "The state that is entered first."],
  ["event [guard]", "A transition: on this event, if the guard agrees."],
  ["event → state, ↻", "The same, to a state in this one or around it; ↻: the state is entered again."],
  ["after limit", "A transition when that time has passed."],
  ["always", "A transition taken at once, if its guard agrees."],
  ["work done, work failed", "A transition when invoked work ends."],
  ["taken", "The transition just taken."],
  ["refused", "A guard refused: point at it to see when."],
  ["entry / exit", "What is done when the state is entered or left."],
  ["invoke", "Work, or a machine, that runs while the state is active."],
];

function Legend({ onClose }: { onClose(): void }) {
  return (
    <aside class="chart-legend" aria-label="Legend">
      <header>
        <strong>How to read a chart</strong>
        <button type="button" aria-label="Close" onClick={onClose}>×</button>
      </header>
      <dl>
        {meanings.map(([sign, meaning]) => (
          <div key={sign}>
            <dt class={`chart sign-${sign.split(" ")[0]}`}>{sign}</dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </aside>
  );
}
