/// <reference lib="dom" />
/** Highlights parts of a chart's picture by classes; nothing is drawn again. */
import type { Chart } from "../../chart/chart.ts";

/** Elements of a picture by state and transition; looked up once per picture. */
export interface ChartParts {
  states: Map<string, Element>;
  /** A transition has its text, and the line that it shares with others. */
  transitions: Map<string, Element[]>;
}

export interface Highlights {
  active: readonly string[];
  taken: readonly string[];
  refused: readonly string[];
}

export function chartParts(svg: Element): ChartParts {
  const states = new Map<string, Element>();
  for (const element of svg.querySelectorAll("[data-state]")) {
    states.set(element.getAttribute("data-state") ?? "", element);
  }
  const transitions = new Map<string, Element[]>();
  const add = (id: string, element: Element) => transitions.set(id, [...transitions.get(id) ?? [], element]);
  for (const element of svg.querySelectorAll("[data-transition]")) {
    add(element.getAttribute("data-transition") ?? "", element);
  }
  for (const element of svg.querySelectorAll("[data-transitions]")) {
    for (const id of transitionIds(element.getAttribute("data-transitions") ?? "")) add(id, element);
  }
  return { states, transitions };
}

/** A line names all of its transitions. */
export const transitionIds = (text: string): string[] => text.split(" ").filter((id) => id !== "");

/** Highlights exactly these. What is highlighted already is not touched. */
export function highlight(parts: ChartParts, lights: Highlights): void {
  const active = new Set(lights.active);
  for (const [id, element] of parts.states) element.classList.toggle("active", active.has(id));
  toggle(parts, "refused", new Set(lights.refused));
  // Last: what was taken lies on top.
  toggle(parts, "taken", new Set(lights.taken));
}

/** Highlights an edge with any of its transitions, and draws it above edges that share its route. */
function toggle(parts: ChartParts, name: string, lit: ReadonlySet<string>): void {
  const on = new Set<Element>();
  for (const id of lit) for (const element of parts.transitions.get(id) ?? []) on.add(element);
  for (const element of on) if (!element.classList.contains(name)) raiseEdge(element);
  for (const elements of parts.transitions.values()) {
    for (const element of elements) element.classList.toggle(name, on.has(element));
  }
}

/** Draws an edge after all others, but before the labels of edges. */
function raiseEdge(element: Element): void {
  if (!element.hasAttribute("data-edge")) return;
  let next = element.nextElementSibling;
  while (next?.hasAttribute("data-edge")) next = next.nextElementSibling;
  if (next !== element.nextElementSibling) element.parentNode?.insertBefore(element, next);
}

/** Lets the transitions just taken flash, from the beginning where they flash already. */
export function flashTransitions(parts: ChartParts, taken: readonly string[]): void {
  const elements = taken.flatMap((id) => parts.transitions.get(id) ?? []);
  for (const element of elements) element.classList.remove("fresh");
  // Asking for a size makes the browser see that the class was gone.
  elements[0]?.getBoundingClientRect();
  for (const element of elements) element.classList.add("fresh");
}

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
