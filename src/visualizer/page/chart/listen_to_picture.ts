/// <reference lib="dom" />
/** Handles pointer, wheel and keys on a chart's picture. */
import type { Box, LaidOutChart } from "../../chart/chart.ts";
import { type ChartParts, type Pointed, pointedBy, pointOut } from "./highlight_chart.ts";
import { type ChartViewport, dragViewport, moveByKey, moveByWheel, zoomByKey } from "./chart_viewport.ts";
import { adjacentState, type ArrowDirection, innermostStates, withoutMachine } from "./find_state.ts";

export interface PictureHandlers {
  chosen(state: string | undefined): void;
  pointed(at: Pointed | undefined): void;
  fit(): void;
  fitActive(): void;
}

/** Answers how to stop. */
export function listenToPicture(
  element: HTMLElement,
  parts: ChartParts,
  laidOut: LaidOutChart,
  frame: ChartViewport,
  react: PictureHandlers,
): () => void {
  const stop = new AbortController();
  const on = <Name extends keyof HTMLElementEventMap>(
    name: Name,
    listener: (event: HTMLElementEventMap[Name]) => void,
  ) => element.addEventListener(name, listener, { signal: stop.signal, passive: false });
  const point = (pointed: Pointed | undefined) => {
    pointOut(parts, laidOut.chart, pointed);
    react.pointed(pointed);
  };
  const stateAt = (event: Event) => pointedBy(event.target as Element)?.state;

  on("wheel", (event) => {
    event.preventDefault();
    const at = element.getBoundingClientRect();
    moveByWheel(frame, event, { x: event.clientX - at.x, y: event.clientY - at.y });
  });
  on("pointerdown", (event) => {
    if (event.button !== 0) return;
    // The focus stays where it is: after a click on the picture, arrow keys still step through events.
    event.preventDefault();
    const state = stateAt(event);
    dragViewport(frame, element, event, () => react.chosen(state));
  });
  on("pointerover", (event) => point(pointedBy(event.target as Element)));
  on("pointerleave", () => point(undefined));
  on("focusin", (event) => point(pointedBy(event.target as Element)));
  on("focusout", () => point(undefined));
  on("keydown", (event) => {
    const state = stateAt(event);
    if (hasModifier(event)) return;
    if (state !== undefined && (event.key === "Enter" || event.key === " ")) react.chosen(state);
    else if (!(state !== undefined && moveFocus(parts, laidOut.states, state, event.key))) {
      if (!moveByKey(frame, event.key)) return;
    }
    event.preventDefault();
  });
  // These hold wherever the focus is.
  const byKey = (event: KeyboardEvent) => {
    if (event.defaultPrevented || hasModifier(event) || isTyped(event)) return;
    if (event.key === "0") react.fit();
    else if (event.key === "a") react.fitActive();
    else if (!zoomByKey(frame, event.key)) return;
    event.preventDefault();
  };
  addEventListener("keydown", byKey, { signal: stop.signal });
  return () => stop.abort();
}

const hasModifier = ({ altKey, ctrlKey, metaKey }: KeyboardEvent): boolean => altKey || ctrlKey || metaKey;

const isTyped = ({ target }: Event): boolean =>
  target instanceof Element &&
  target.closest("input:not([type=checkbox]), select, textarea, dialog") !== null;

const ways: Record<string, ArrowDirection> = {
  ArrowLeft: "left",
  ArrowRight: "right",
  ArrowUp: "up",
  ArrowDown: "down",
};

export function makeReachable(parts: ChartParts): void {
  for (const element of parts.states.values()) {
    element.setAttribute("role", "button");
    element.setAttribute("tabindex", "-1");
  }
}

/** Names states for screen readers; the Tab key stops at the innermost active state, or at the first. */
export function nameStates(parts: ChartParts, active: ReadonlySet<string>): void {
  const stop = innermostStates([...active])[0] ?? parts.states.keys().next().value;
  for (const [id, element] of parts.states) {
    const name = `${withoutMachine(id)}${active.has(id) ? ", active" : ""}`;
    // Only what changed: a page that follows a session asks for this twenty times a second.
    if (element.getAttribute("aria-label") !== name) element.setAttribute("aria-label", name);
    const reach = id === stop ? "0" : "-1";
    if (element.getAttribute("tabindex") !== reach) element.setAttribute("tabindex", reach);
  }
}

/** True where the key goes to another state. */
function moveFocus(
  parts: ChartParts,
  boxes: Record<string, Box>,
  from: string,
  key: string,
): boolean {
  const way = ways[key];
  const to = way && adjacentState(from, way, boxes);
  const element = to === undefined ? undefined : parts.states.get(to);
  if (!(element instanceof SVGElement)) return false;
  element.focus();
  return true;
}
