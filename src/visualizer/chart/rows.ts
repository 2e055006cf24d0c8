/** The lines that stand in a state's box: what it does, and the transitions that do not leave it. */
import type { Chart, ChartState, ChartTransition } from "./chart.ts";
import { isInside, staysInBox } from "./chart_of.ts";
import { shorten, wrapWords } from "./phrases.ts";

export interface StateRow {
  kind: "invoke" | "entry" | "exit" | "transition";
  /** Text as drawn. */
  text: string;
  /** The whole of it, where `text` is shortened. */
  full: string;
  /** Transition id, for a row of a transition. */
  transition?: string;
}

const rowLength = 46;
/** Boxes with states in them are wide anyway. */
const outerRowLength = 90;
const labelLength = 30;
const mostGuardRows = 3;

/** The rows of a state, in the order in which they are drawn. */
export function stateRows(state: ChartState, chart: Chart): StateRow[] {
  const length = state.children.length > 0 ? outerRowLength : rowLength;
  const row = (kind: StateRow["kind"], full: string): StateRow => ({
    kind,
    full,
    text: shorten(full, length),
  });
  return [
    ...state.invokes.map(({ src }) => row("invoke", src)),
    ...state.entry.map((action) => row("entry", `entry / ${action}`)),
    ...state.exit.map((action) => row("exit", `exit / ${action}`)),
    ...chart.transitions
      .filter((transition) => transition.source === state.id && staysInBox(transition))
      .map((transition) => ({ ...row("transition", transitionText(transition)), transition: transition.id })),
  ];
}

function transitionText(transition: ChartTransition): string {
  const { source, targets, actions } = transition;
  const where = targets.map((target) => target === source ? " ↻" : ` → ${nameFrom(source, target)}`).join("");
  return `${labelOf(transition)}${where}${actions.length === 0 ? "" : ` / ${actions.join(", ")}`}`;
}

/** Below the state its path from there; around it its last name. */
const nameFrom = (source: string, target: string): string =>
  isInside(target, source) ? target.slice(source.length + 1) : target.slice(target.lastIndexOf(".") + 1);

/** Label of a transition: its event, and its guard in brackets. */
export const labelOf = ({ label, guard }: Pick<ChartTransition, "label" | "guard">): string =>
  guard === undefined ? label : `${label} [${guard}]`;

/** Shortened label for an edge. The guard is in a row of its own if both are too long for one. */
export function shortLabelOf(transition: Pick<ChartTransition, "label" | "guard">): string {
  const { label, guard } = transition;
  const whole = labelOf(transition);
  if (guard === undefined || whole.length <= labelLength - 8) return shorten(whole, labelLength);
  return `${shorten(label, labelLength)}\n[${wrapWords(guard, labelLength - 2, mostGuardRows).join("\n")}]`;
}

/** A transition in full, for where there is room: `label [guard] / actions → targets`. */
export const fullTextOf = (transition: ChartTransition): string => {
  const { actions, targets } = transition;
  const deeds = actions.length === 0 ? "" : ` / ${actions.join(", ")}`;
  return `${labelOf(transition)}${deeds}${targets.length === 0 ? "" : ` → ${targets.join(", ")}`}`;
};
