/// <reference lib="dom" />
/** Mounts a chart's picture in the page once, and moves and highlights it. */
import type { Box } from "../../chart/chart.ts";
import type { Highlight } from "../state.ts";
import { type ChartDrawing, parseSvg } from "./chart_drawing.ts";
import { highlightedStates, innermostStates, shownStates } from "./find_state.ts";
import { chartParts, flashTransitions, highlight, type Pointed } from "./highlight_chart.ts";
import { listenToPicture, makeReachable, nameStates } from "./listen_to_picture.ts";
import type { ChartViewport } from "./chart_viewport.ts";
import { boundingBox, fitAll, fitBox, fitReadable, fitWidth, revealBox, type Viewport } from "./viewport.ts";

export interface PictureListener {
  /** A click or Enter on a state; undefined for a click outside of them. */
  chosen(state: string | undefined): void;
  pointed(at: Pointed | undefined): void;
  zoomed(scale: number): void;
}

export interface MountedPicture {
  readonly frame: ChartViewport;
  /** `follow`: moves so that what became active shows. */
  light(lit: Highlight | undefined, follow: boolean): void;
  choose(state: string | undefined): void;
  /** Asked for twice, a large chart is shown whole. */
  fit(): void;
  /** Shows this state in the middle, at this scale. */
  centre(state: string, scale: number): void;
  /** To where the machine is: what became active last. */
  fitActive(): void;
  remove(): void;
}

/** Below this a picture is too small to read. */
const readable = 0.6;

/** @throws {Error} where the text is no SVG */
export function mountPicture(
  element: HTMLElement,
  drawing: ChartDrawing,
  told: PictureListener,
): MountedPicture {
  const svg = parseSvg(drawing.svg);
  const boxes = drawing.laidOut.states;
  const { viewBox } = svg;
  const picture = { width: viewBox.baseVal.width, height: viewBox.baseVal.height };
  const parts = chartParts(svg);
  makeReachable(parts);
  let view: Viewport = { x: 0, y: 0, scale: 1 };
  let touched = false;
  let active: string[] = [];
  let newest: string[] = [];
  let flashed = "";

  const show = (next: Viewport) => {
    if (next.scale !== view.scale) told.zoomed(next.scale);
    view = next;
    svg.style.transform = `translate(${view.x}px, ${view.y}px) scale(${view.scale})`;
  };
  const size = () => ({ width: element.clientWidth, height: element.clientHeight });
  const frame: ChartViewport = {
    view: () => view,
    move(next) {
      touched = true;
      show(next);
    },
    picture: () => picture,
    size,
  };
  /** The whole, or, where that is too small to read, its width; asked for once more, the whole nevertheless. */
  const fit = () => {
    const [whole, width] = [fitAll(picture, size()), fitWidth(picture, size())];
    const again = !touched && view.scale === width.scale && view.y === width.y;
    touched = false;
    show(whole.scale >= readable || again ? whole : width);
  };
  const boxOf = (ids: readonly string[]): Box | undefined => {
    const box = boundingBox(shownStates(ids, boxes).map((id) => boxes[id] as Box));
    // The picture has a margin around what is laid out.
    return box && { ...box, x: box.x - viewBox.baseVal.x, y: box.y - viewBox.baseVal.y };
  };

  /** A large chart begins where something happened; else where the machine is. */
  function begin(taken: readonly string[]): void {
    const ids = new Set(taken);
    const ends = drawing.laidOut.chart.transitions
      .filter(({ id }) => ids.has(id)).flatMap(({ source, targets }) => [source, ...targets]);
    const box = boxOf(ends) ?? boxOf(innermostStates(active));
    touched = true;
    if (box !== undefined) show(fitReadable(box, size(), readable));
  }

  element.append(svg);
  fit();
  const resized = new ResizeObserver(() => {
    if (touched) return;
    touched = true;
    fit();
  });
  resized.observe(element);
  const unlisten = listenToPicture(element, parts, drawing.laidOut, frame, { ...told, fit, fitActive });

  function fitActive(): void {
    const box = boxOf(newest.length > 0 ? newest : innermostStates(active));
    if (box !== undefined) frame.move(fitBox(box, size(), 1.25));
  }

  return {
    frame,
    light(lit, follow) {
      const before = new Set(active);
      const all = lit === undefined ? [] : highlightedStates(lit.machine, lit.value);
      active = shownStates(all, boxes);
      const entered = innermostStates(active).filter((id) => !before.has(id));
      if (entered.length > 0) newest = before.size === 0 ? [] : entered;
      const taken = lit?.taken ?? [];
      highlight(parts, {
        active,
        taken,
        refused: lit?.refused.map(({ transition }) => transition) ?? [],
      });
      if (entered.length > 0 || taken.join() !== flashed) flashTransitions(parts, taken);
      flashed = taken.join();
      nameStates(parts, new Set(active));
      const box = boxOf(entered);
      if (!follow || box === undefined) return;
      if (before.size > 0) show(revealBox(view, box, size()));
      else if (!touched && view.scale < readable) begin(taken);
    },
    choose(state) {
      for (const [id, part] of parts.states) part.classList.toggle("chosen", id === state);
    },
    fit,
    fitActive,
    centre(state, scale) {
      const box = boxOf([state]);
      if (box !== undefined) frame.move(fitBox(box, size(), scale, scale));
    },
    remove() {
      resized.disconnect();
      unlisten();
      svg.remove();
    },
  };
}
