/** Which transitions share a line: those with the same two ends, as far as their ends are drawn. */
import type { Chart } from "./chart.ts";
import { isInside } from "./chart_of.ts";
import { staysInBox } from "./rows.ts";

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
