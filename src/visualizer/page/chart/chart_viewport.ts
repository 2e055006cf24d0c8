/// <reference lib="dom" />
/** Moves and zooms a chart in its viewport by wheel, pointer and keys. */
import type { ChartPoint } from "../../chart/chart.ts";
import type { Size } from "../../chart/pack_boxes.ts";
import { panBy, type Viewport, zoomAt } from "./viewport.ts";

/** The frame as what is done to it sees it. */
export interface ChartViewport {
  view(): Viewport;
  /** Moves the picture for the user: from now on it is not fitted again when the window changes. */
  move(view: Viewport): void;
  picture(): Size;
  size(): Size;
}

const step = 60;
const zoomStep = 1.2;
/** A press that moves less is a click. */
const clickSlop = 4;

/** Arrow keys by what they move the picture by. */
const arrows: Record<string, ChartPoint> = {
  ArrowLeft: { x: step, y: 0 },
  ArrowRight: { x: -step, y: 0 },
  ArrowUp: { x: 0, y: step },
  ArrowDown: { x: 0, y: -step },
};

const viewportCenter = ({ width, height }: Size): ChartPoint => ({ x: width / 2, y: height / 2 });

export const zoomIn = (frame: ChartViewport): void =>
  frame.move(zoomAt(frame.view(), zoomStep, viewportCenter(frame.size())));
export const zoomOut = (frame: ChartViewport): void =>
  frame.move(zoomAt(frame.view(), 1 / zoomStep, viewportCenter(frame.size())));
/** One to one, whatever is in the middle staying there. */
export const zoomToFull = (frame: ChartViewport): void =>
  frame.move(zoomAt(frame.view(), 1 / frame.view().scale, viewportCenter(frame.size())));

/** True where the key moves the picture. */
export function moveByKey(frame: ChartViewport, key: string): boolean {
  const by = arrows[key];
  if (by === undefined) return false;
  frame.move(panBy(frame.view(), by, frame.picture(), frame.size()));
  return true;
}

/** True where the key makes the picture larger or smaller. */
export function zoomByKey(frame: ChartViewport, key: string): boolean {
  if (key === "+" || key === "=") zoomIn(frame);
  else if (key === "-") zoomOut(frame);
  else return false;
  return true;
}

/** With ctrl, which a pinch on a touchpad counts as, it zooms where the pointer is; else it moves the picture. */
export function moveByWheel(frame: ChartViewport, event: WheelEvent, at: ChartPoint): void {
  const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
  if (event.ctrlKey || event.metaKey) {
    return frame.move(zoomAt(frame.view(), Math.exp(-event.deltaY * unit * 0.004), at));
  }
  const by = event.shiftKey && event.deltaX === 0
    ? { x: -event.deltaY * unit, y: 0 }
    : { x: -event.deltaX * unit, y: -event.deltaY * unit };
  frame.move(panBy(frame.view(), by, frame.picture(), frame.size()));
}

/** Follows a pressed pointer until it is let go; `click` where it did not move. */
export function dragViewport(
  frame: ChartViewport,
  element: HTMLElement,
  pressed: PointerEvent,
  click: () => void,
): void {
  let last = { x: pressed.clientX, y: pressed.clientY };
  let moved = false;
  const move = (event: PointerEvent) => {
    // Let go outside, before the frame held the pointer.
    if (event.buttons === 0) return end(event);
    const by = { x: event.clientX - last.x, y: event.clientY - last.y };
    if (!moved && Math.abs(by.x) + Math.abs(by.y) < clickSlop) return;
    if (!moved) element.setPointerCapture(pressed.pointerId);
    moved = true;
    last = { x: event.clientX, y: event.clientY };
    element.classList.add("dragged");
    frame.move(panBy(frame.view(), by, frame.picture(), frame.size()));
  };
  const end = (event: PointerEvent) => {
    element.removeEventListener("pointermove", move);
    element.removeEventListener("pointerup", end);
    element.removeEventListener("pointercancel", end);
    element.classList.remove("dragged");
    if (!moved && event.type === "pointerup") click();
  };
  element.addEventListener("pointermove", move);
  element.addEventListener("pointerup", end);
  element.addEventListener("pointercancel", end);
}
