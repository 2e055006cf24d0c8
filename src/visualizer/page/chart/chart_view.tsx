/// <reference lib="dom" />
/** The Chart tab: the selected actor's machine with its active states; without a session, all machines. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import * as state from "../state.ts";
import { type ChartDrawing, drawingOf } from "./chart_drawing.ts";
import { Gallery } from "./gallery.tsx";
import { Picture } from "./picture.tsx";
import { toApiFailure } from "../api.ts";
import { foldedStates, shownMachine, visibleHighlight } from "./shown_chart.ts";

const nothingFolded: readonly string[] = [];

export function ChartView() {
  const machine = shownMachine.value;
  if (machine !== undefined) {
    return <MachineChart machine={machine} collapsed={foldedStates.value[machine] ?? nothingFolded} />;
  }
  if (!state.inSession.value) return <Gallery />;
  return (
    <p class="empty">
      Nothing runs at this moment. Move to another moment, below, or choose an actor in the tree.
    </p>
  );
}

function MachineChart({ machine, collapsed }: { machine: string; collapsed: readonly string[] }) {
  const drawing = useSignal<ChartDrawing | undefined>(undefined);
  const failure = useSignal<state.Failure | undefined>(undefined);
  const again = useSignal(0);
  useEffect(() => {
    let wanted = true;
    failure.value = undefined;
    drawingOf(machine, collapsed).then(
      (got) => wanted && (drawing.value = got),
      (error) => wanted && (failure.value = toApiFailure(error)),
    );
    return () => void (wanted = false);
  }, [machine, collapsed, again.value]);

  if (failure.value !== undefined) {
    return (
      <div class="empty" role="alert">
        <p>The chart of {machine} cannot be shown: {failure.value.message}</p>
        {failure.value.next.map((next) => <p key={next}>{next}</p>)}
        <button type="button" onClick={() => void again.value++}>Try again</button>
      </div>
    );
  }
  const got = drawing.value;
  // The picture before stays until the next is there: no flicker when a region is folded.
  return got === undefined || got.machine !== machine ? <p class="empty">Drawing {machine} …</p> : (
    <Picture
      drawing={got}
      lit={visibleHighlight.value?.machine === machine ? visibleHighlight.value : undefined}
    />
  );
}
