/** A statechart as plain data: made from a machine, laid out, drawn, and written as text. */

export type StateKind = "atomic" | "compound" | "parallel" | "final" | "history";
export type TransitionKind = "event" | "after" | "always" | "done" | "error";

export interface Chart {
  /** The machine's id; also the id of its root state. */
  machine: string;
  /** First sentence of the doc comment in the machine's file. */
  summary: string;
  root: ChartState;
  /** All transitions, also those that stay where they are (`targets` empty). */
  transitions: ChartTransition[];
}

export interface ChartState {
  /** XState's: `session.open.environment`. */
  id: string;
  /** The last part of the id. */
  key: string;
  kind: StateKind;
  /** Key of the child that is entered first. */
  initial?: string;
  /** Action names, as short phrases: `assign source`, `send environment.provision to environment`. */
  entry: string[];
  exit: string[];
  invokes: ChartInvoke[];
  children: ChartState[];
}

export interface ChartInvoke {
  /** XState's id of the child: `0.connection.connecting`. */
  id: string;
  /** The slot, or the machine that is invoked. */
  src: string;
}

export interface ChartTransition {
  /** `transitionId` of the recording's format. */
  id: string;
  kind: TransitionKind;
  source: string;
  /** XState's event type; `""` for `always`. */
  event: string;
  /** For people: `provision done`, `after limit`, `always`, or the event's type. */
  label: string;
  targets: string[];
  /** The guard's name, or the source of an inline guard, shortened. */
  guard?: string;
  actions: string[];
  reenter: boolean;
}

/** A point in the picture; units are CSS pixels at zoom 1. */
export interface ChartPoint {
  x: number;
  y: number;
}

export interface Box extends ChartPoint {
  width: number;
  height: number;
}

/**
 * A chart with places. Coordinates are of the whole picture, not of the parent. Transitions to the state itself, to one
 * inside it or around it, and those without a target have no line: they are written in the state's box (`rowsOf`).
 */
export interface LaidOutChart {
  chart: Chart;
  width: number;
  height: number;
  /** By state id. */
  states: Record<string, Box>;
  /** One for each pair of states with transitions between them: what shares its ends shares its line. */
  edges: LaidOutEdge[];
  /** Lines from the initial dots to the states that are entered first. */
  initials: { state: string; points: ChartPoint[] }[];
  /** States that are drawn without their children. */
  collapsed: string[];
  /**
   * Layout direction of each state with children, by state id. A parallel state whose regions have no edges between
   * them has none.
   */
  directions: Record<string, LayoutDirection>;
}

/** Direction in which the children of a state are laid out. */
export type LayoutDirection = "DOWN" | "RIGHT";

export interface LaidOutEdge {
  /** Ids of the transitions that this line stands for. */
  transitions: string[];
  source: string;
  target: string;
  /** Corners of the line, from source to target. */
  points: ChartPoint[];
  /** One text for each transition, in the order of `transitions`: label, guard in brackets, at times in a row below. */
  label: Box & { lines: string[] };
}
