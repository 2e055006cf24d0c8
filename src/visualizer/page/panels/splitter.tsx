/// <reference lib="dom" />
/** The edge of a panel, to make it wider, narrower, or to hide it. */
import { isHidden, type Panel, resizePanel, togglePanel } from "./panels.ts";

/** CSS pixels that an arrow key moves it. */
const stepWidth = 24;
const names: Record<Panel, string> = { tree: "list of actors", inspector: "inspector" };

const widthOf = (panel: Panel): number =>
  document.querySelector(`.${panel}`)?.getBoundingClientRect().width ?? 0;

export function Splitter({ panel }: { panel: Panel }) {
  const hidden = isHidden(panel);
  const drag = (event: PointerEvent) => {
    const edge = event.currentTarget as HTMLElement;
    if (event.buttons !== 1 || !edge.hasPointerCapture(event.pointerId)) return;
    resizePanel(panel, panel === "tree" ? event.clientX : innerWidth - event.clientX);
  };
  const byKey = (event: KeyboardEvent) => {
    const outwards = panel === "tree" ? "ArrowRight" : "ArrowLeft";
    if (event.key === "Enter") togglePanel(panel);
    else if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
      resizePanel(panel, widthOf(panel) + (event.key === outwards ? stepWidth : -stepWidth));
    } else return;
    event.preventDefault();
  };
  return (
    <div
      class={`splitter of-${panel} ${hidden ? "hides" : ""}`}
      role="separator"
      aria-orientation="vertical"
      aria-label={`Width of the ${names[panel]}`}
      aria-valuenow={hidden ? 0 : Math.round(widthOf(panel))}
      aria-valuemin={0}
      aria-valuemax={innerWidth}
      tabIndex={0}
      title={`Drag to make the ${names[panel]} wider or narrower; a double click, or Enter, ${
        hidden ? "shows" : "hides"
      } it`}
      onPointerDown={(event) => (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId)}
      onPointerMove={drag}
      onDblClick={() => togglePanel(panel)}
      onKeyDown={byKey}
    >
      <button
        type="button"
        tabIndex={-1}
        aria-hidden="true"
        onPointerDown={(event) => event.stopPropagation()}
        onDblClick={(event) => event.stopPropagation()}
        onClick={() => togglePanel(panel)}
      >
        {hidden === (panel === "tree") ? "›" : "‹"}
      </button>
    </div>
  );
}
