/** A chart of any XState machine, read from its definition; no code of the machine runs. */
import type { AnyStateMachine, AnyStateNode, AnyTransitionDefinition } from "xstate";
import { definedOnly } from "../../core/values.ts";
import { transitionId } from "../recording/format.ts";
import type { Chart, ChartInvoke, ChartState, ChartTransition, StateKind, TransitionKind } from "./chart.ts";
import { actionPhrase, guardPhrase } from "./phrases.ts";

/** The chart of a machine; slots may be unfilled. The summary is the `description` of the machine's root. */
export function chartOf(machine: AnyStateMachine): Chart {
  const transitions: ChartTransition[] = [];
  const root = stateOf(machine.root, transitions);
  return { machine: machine.id, summary: machine.root.description ?? "", root, transitions };
}

function stateOf(node: AnyStateNode, transitions: ChartTransition[]): ChartState {
  const invokes = node.invoke.map((invoke): ChartInvoke => ({ id: invoke.id, src: srcName(invoke.src) }));
  for (const [event, definitions] of node.transitions) {
    transitions.push(...definitions.map((one, index) => transitionOf(node, invokes, event, one, index)));
  }
  const eventless = node.always ?? [];
  transitions.push(...eventless.map((one, index) => transitionOf(node, invokes, "", one, index)));
  return definedOnly({
    id: node.id,
    key: node.key,
    kind: node.type as StateKind,
    initial: node.type === "compound" ? node.initial.target[0]?.key : undefined,
    entry: node.entry.filter(isOwn).map(actionPhrase),
    exit: node.exit.filter(isOwn).map(actionPhrase),
    invokes,
    children: Object.values(node.states).map((child) => stateOf(child, transitions)),
  });
}

/** False for what XState adds on entry and exit to keep the timers of `after`. */
function isOwn(action: unknown): boolean {
  const { type, id, sendId } = action as { type?: unknown; id?: unknown; sendId?: unknown };
  const timer = type === "xstate.raise" ? id : type === "xstate.cancel" ? sendId : undefined;
  return !(typeof timer === "string" && timer.startsWith("xstate.after."));
}

/** XState names a machine or work that was given in place as `xstate.invoke.0.<state>`. */
const srcName = (src: unknown): string =>
  typeof src === "string" && !src.startsWith("xstate.invoke.") ? src : "work";

function transitionOf(
  node: AnyStateNode,
  invokes: ChartInvoke[],
  event: string,
  definition: AnyTransitionDefinition,
  index: number,
): ChartTransition {
  return definedOnly({
    id: transitionId(node.id, event, index),
    ...describeEvent(node, invokes, event),
    source: node.id,
    event,
    targets: (definition.target ?? []).map((target) => target.id),
    guard: guardPhrase(definition.guard),
    actions: definition.actions.map(actionPhrase),
    reenter: definition.reenter,
  });
}

function describeEvent(
  node: AnyStateNode,
  invokes: ChartInvoke[],
  event: string,
): { kind: TransitionKind; label: string } {
  const source = (prefix: string): string => {
    const id = event.slice(prefix.length);
    return invokes.find((invoke) => invoke.id === id)?.src ?? id;
  };
  if (event === "") return { kind: "always", label: "always" };
  if (event === "*") return { kind: "event", label: "any other event" };
  if (event.startsWith("xstate.after.")) {
    const delay = event.slice("xstate.after.".length, -(node.id.length + 1));
    return { kind: "after", label: `after ${/^\d+$/.test(delay) ? `${delay} ms` : delay}` };
  }
  if (event.startsWith("xstate.done.actor.")) {
    return { kind: "done", label: `${source("xstate.done.actor.")} done` };
  }
  if (event.startsWith("xstate.error.actor.")) {
    return { kind: "error", label: `${source("xstate.error.actor.")} failed` };
  }
  if (event.startsWith("xstate.done.state.")) return { kind: "done", label: `${node.key} done` };
  if (event.startsWith("xstate.snapshot.")) {
    return { kind: "event", label: `${source("xstate.snapshot.")} changed` };
  }
  return { kind: "event", label: event };
}

/** A state and all below it, parents first. */
export function* statesOf(state: ChartState): Generator<ChartState> {
  yield state;
  for (const child of state.children) yield* statesOf(child);
}

/** True for a state inside another one; no state is inside itself. */
export const isInside = (state: string, outer: string): boolean => state.startsWith(`${outer}.`);

/** True for a transition without a line of its own: it has no target, or the target is the state, in it, or around it. */
export const staysInBox = ({ source, targets }: Pick<ChartTransition, "source" | "targets">): boolean =>
  targets.every((target) => target === source || isInside(target, source) || isInside(source, target));

/** An edge of the drawn chart: all transitions between the same two drawn states. */
export interface ChartEdge {
  source: string;
  target: string;
  /** Ids of its transitions. */
  transitions: string[];
}

/** The lines of a chart; ends in a folded state are moved to that state, and what is wholly inside of it is left out. */
export function edgesOf(chart: Chart, collapsed: string[]): ChartEdge[] {
  const shown = (state: string): string => collapsed.find((outer) => isInside(state, outer)) ?? state;
  const lines = new Map<string, ChartEdge>();
  for (const { id, source, targets } of chart.transitions) {
    for (const target of targets) {
      const line = { source: shown(source), target: shown(target), transitions: [id] };
      if (staysInBox({ source, targets: [target] }) || staysInBox({ ...line, targets: [line.target] })) {
        continue;
      }
      const known = lines.get(`${line.source}|${line.target}`);
      if (known === undefined) lines.set(`${line.source}|${line.target}`, line);
      else known.transitions.push(id);
    }
  }
  return [...lines.values()];
}

/** The folded states that are not themselves inside of another one, in the order of the chart. */
export const outermost = (collapsed: string[]): string[] =>
  collapsed.filter((state) => !collapsed.some((outer) => isInside(state, outer)));
