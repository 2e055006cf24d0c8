/** Questions about a chart that its view asks. */
import type { Box, Chart, ChartState, ChartTransition } from "../../chart/chart.ts";
import type { StateValue } from "../../recording/format.ts";

/** All states, outer ones first. */
export function allStates(root: ChartState): ChartState[] {
  return [root, ...root.children.flatMap(allStates)];
}

export const findState = (chart: Chart, id: string): ChartState | undefined =>
  allStates(chart.root).find((state) => state.id === id);

/** Transitions that leave the state itself, not its children. */
export const transitionsOf = (chart: Chart, state: string): ChartTransition[] =>
  chart.transitions.filter(({ source }) => source === state);

/** Types of the events that the state has transitions for: what a filter of events is to be set to. */
export function eventsOf(chart: Chart, state: string): string[] {
  const events = transitionsOf(chart, state).map(({ event }) => event).filter((event) => event !== "");
  return [...new Set(events)];
}

/** Replaces states inside a folded state by that state, and removes duplicates. */
export function shownStates(ids: readonly string[], boxes: Record<string, Box>): string[] {
  return [...new Set(ids.map((id) => shownAround(id, boxes)).filter((id) => id !== undefined))];
}

function shownAround(id: string, boxes: Record<string, Box>): string | undefined {
  if (id in boxes) return id;
  const dot = id.lastIndexOf(".");
  return dot < 0 ? undefined : shownAround(id.slice(0, dot), boxes);
}

export type ArrowDirection = "left" | "right" | "up" | "down";

/** The state to go to from one by an arrow key: the nearest whose middle lies that way. */
export function adjacentState(
  from: string,
  way: ArrowDirection,
  boxes: Record<string, Box>,
): string | undefined {
  const start = boxes[from];
  if (start === undefined) return undefined;
  const far = Object.entries(boxes)
    .filter(([id]) => id !== from)
    .map(([id, box]) => ({ id, far: farness(start, box, way) }))
    .filter(({ far }) => far < Infinity)
    .sort((a, b) => a.far - b.far);
  return far[0]?.id;
}

/** Sideways counts more than ahead, so that a key goes straight on. */
function farness(from: Box, to: Box, way: ArrowDirection): number {
  const across = to.x + to.width / 2 - (from.x + from.width / 2);
  const down = to.y + to.height / 2 - (from.y + from.height / 2);
  const [ahead, aside] = {
    left: [-across, down],
    right: [across, down],
    up: [-down, across],
    down: [down, across],
  }[way] as [number, number];
  return ahead < 1 ? Infinity : ahead + 3 * Math.abs(aside);
}

/** Ids of the states that a value stands for, outer ones first; the machine's root among them. */
export function highlightedStates(machine: string, value: StateValue | undefined): string[] {
  if (value === undefined) return [];
  if (typeof value === "string") return [machine, `${machine}.${value}`];
  const below = Object.entries(value).flatMap(([key, part]) => {
    const id = `${machine}.${key}`;
    return isLeaf(part) ? [id] : highlightedStates(id, part);
  });
  return [machine, ...below];
}

/** A region or state without children has `{}` (or, as its parent's part, its own name) for a value. */
const isLeaf = (part: StateValue): boolean => typeof part !== "string" && Object.keys(part).length === 0;

/** States without an active child. */
export function innermostStates(ids: readonly string[]): string[] {
  return ids.filter((id) => !ids.some((other) => other.startsWith(`${id}.`)));
}

/** `session.open.environment.ready` is `open.environment.ready` to people who know which machine they look at. */
export const withoutMachine = (id: string): string => {
  const dot = id.indexOf(".");
  return dot < 0 ? id : id.slice(dot + 1);
};
