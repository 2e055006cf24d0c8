/// <reference lib="dom" />
/** Makes the states of a picture reachable by keys: one is a stop of the Tab key, arrows go on from there. */
import type { Box } from "../../chart/chart.ts";
import { adjacentState, type ArrowDirection } from "./find_state.ts";
import type { ChartParts } from "./highlight_chart.ts";
import { innermostStates, withoutMachine } from "./highlighted_states.ts";

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

/** For who hears the picture; the Tab key stops at the innermost active state, or at the first. */
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
export function moveFocus(
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
