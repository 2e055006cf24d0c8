/// <reference lib="dom" />
/** What the pointer or the focus is on in a picture, and the ends of that transition. */
import type { Chart } from "../../chart/chart.ts";
import { type ChartParts, raiseEdge, transitionIds } from "./highlight_chart.ts";

/** The innermost state, and the transitions whose text or line it is. */
export interface Pointed {
  state?: string;
  transitions: readonly string[];
}

export function pointedBy(element: Element): Pointed | undefined {
  const part = element.closest("[data-transition], [data-transitions], [data-state]");
  if (part === null) return undefined;
  const transition = part.getAttribute("data-transition");
  const transitions = part.getAttribute("data-transitions");
  const state = part.closest("[data-state]")?.getAttribute("data-state");
  return {
    ...(state ? { state } : {}),
    transitions: transition !== null ? [transition] : transitions !== null ? transitionIds(transitions) : [],
  };
}

/** Marks the transitions and the states at their ends, and nothing else; their line lies on top. */
export function pointOut(parts: ChartParts, chart: Chart, pointed: Pointed | undefined): void {
  const ids = new Set(pointed?.transitions ?? []);
  const ends = new Set<string>();
  for (const { id, source, targets } of chart.transitions) {
    if (ids.has(id)) { for (const end of [source, ...targets]) ends.add(end); }
  }
  for (const [id, element] of parts.states) element.classList.toggle("end", ends.has(id));
  const on = new Set([...ids].flatMap((id) => parts.transitions.get(id) ?? []));
  for (const element of on) raiseEdge(element);
  for (const elements of parts.transitions.values()) {
    for (const element of elements) element.classList.toggle("pointed", on.has(element));
  }
}
