/// <reference lib="dom" />
/** Above a chart: which it is, where its actor is, zoom, and the chart as a file. */
import type { Signal } from "@preact/signals";
import { useSignal } from "@preact/signals";
import { machineFile } from "../api.ts";
import { openMachine } from "../navigate.ts";
import { type Highlight, inSession } from "../state.ts";
import type { ChartDrawing } from "./chart_drawing.ts";
import { highlightedIds, savePng } from "./save_png.ts";
import type { MountedPicture } from "./mount_picture.ts";
import { zoomIn, zoomOut, zoomToFull } from "./chart_viewport.ts";
import { foldedStates, followsActiveStates, isWide } from "./shown_chart.ts";

interface ToolbarProps {
  drawing: ChartDrawing;
  lit: Highlight | undefined;
  scale: number;
  picture(): MountedPicture | undefined;
  legend: Signal<boolean>;
}

export function ChartToolbar({ drawing, lit, scale, picture, legend }: ToolbarProps) {
  const on = (act: (mounted: MountedPicture) => void) => () => {
    const mounted = picture();
    if (mounted !== undefined) act(mounted);
  };
  return (
    <div class="chart-tools" role="toolbar" aria-label="Chart">
      {!inSession.value && (
        <button type="button" onClick={() => openMachine(undefined)} title="All machines">‹ Machines</button>
      )}
      <strong class="chart-name" title={drawing.machine}>{drawing.machine}</strong>
      <span class="tool-group">
        <Tool name="−" does="Zoom out (-)" act={on(({ frame }) => zoomOut(frame))} />
        <Tool
          name={`${Math.round(scale * 100)} %`}
          does="Show at 100 %"
          act={on(({ frame }) => zoomToFull(frame))}
        />
        <Tool name="+" does="Zoom in (+)" act={on(({ frame }) => zoomIn(frame))} />
        <Tool name="Fit" does="Show the whole chart (0)" act={on((mounted) => mounted.fit())} />
        {lit && (
          <>
            <Tool
              name="To active"
              does="Zoom to the states that became active last (a)"
              act={on((mounted) => mounted.fitActive())}
            />
            <label title="Move along with the states that become active">
              <input
                type="checkbox"
                checked={followsActiveStates.value}
                onChange={(event) => void (followsActiveStates.value = event.currentTarget.checked)}
              />{" "}
              Follow
            </label>
          </>
        )}
        {drawing.collapsed.length > 0 && (
          <Tool
            name="Unfold all"
            does="Show what is in folded states"
            act={() => void (foldedStates.value = { ...foldedStates.value, [drawing.machine]: [] })}
          />
        )}
      </span>
      <Files drawing={drawing} lit={lit} />
      {inSession.value && <WideSwitch />}
      <button
        type="button"
        aria-pressed={legend.value}
        onClick={() => void (legend.value = !legend.value)}
      >
        Legend
      </button>
    </div>
  );
}

function Tool({ name, does, act }: { name: string; does: string; act(): void }) {
  return <button type="button" title={does} aria-label={does} onClick={act}>{name}</button>;
}

/** Links that save the chart: pictures with the current highlight, texts without it. */
function Files({ drawing, lit }: { drawing: ChartDrawing; lit: Highlight | undefined }) {
  const failed = useSignal("");
  const svg = machineFile(drawing.machine, "svg", highlightedIds(drawing, lit));
  const png = () => {
    failed.value = "";
    savePng(svg, drawing.machine).catch((error: Error) => void (failed.value = error.message));
  };
  return (
    <>
      {failed.value && <span class="bad" role="alert">{failed.value}</span>}
      <details class="chart-save">
        <summary class="button">Save</summary>
        <div onClick={(event) => event.currentTarget.closest("details")?.removeAttribute("open")}>
          <a href={svg} download={`${drawing.machine}.svg`}>SVG, as highlighted now</a>
          <button type="button" class="link" onClick={png}>PNG, as highlighted now</button>
          <a href={machineFile(drawing.machine, "mmd")} download={`${drawing.machine}.mmd`}>Mermaid</a>
          <a href={machineFile(drawing.machine, "dot")} download={`${drawing.machine}.dot`}>
            DOT, for Graphviz
          </a>
        </div>
      </details>
    </>
  );
}

/** Gives chart and sequence the width of the whole window: tree and inspector make room. */
export function WideSwitch() {
  return (
    <button
      type="button"
      aria-pressed={isWide.value}
      title="Use the whole width of the window"
      onClick={() => void (isWide.value = !isWide.value)}
    >
      Wide
    </button>
  );
}
