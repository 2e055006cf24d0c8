/** The charts of PTH's own machines, as the page asks for them. */
import * as machines from "../../../machines/mod.ts";
import type { Chart, LaidOutChart } from "../chart/chart.ts";
import { chartOf, statesOf } from "../chart/graph.ts";
import { layOut } from "../chart/layout.ts";
import { drawSvg } from "../chart/svg.ts";
import { notThere } from "./answers.ts";
import type { Charts } from "./api_request.ts";

/** Each is read, and laid out with what is folded, once. */
export function machineCharts(): Charts {
  const charts = new Map<string, Chart>(
    Object.values(machines).map((machine) => [machine.id, chartOf(machine as never)]),
  );
  const layouts = new Map<string, Promise<LaidOutChart>>();
  const chart = (machine: string): Chart => {
    const found = charts.get(machine);
    if (found === undefined) {
      throw notThere(`machine ${machine}`, [`Ask for one of ${[...charts.keys()].join(", ")}`]);
    }
    return found;
  };
  const laidOut = (machine: string, collapsed: readonly string[]) => {
    const key = [machine, ...[...collapsed].sort()].join(" ");
    const made = layouts.get(key) ?? layOut(chart(machine), { collapsed: [...collapsed] });
    layouts.set(key, made);
    return made;
  };
  return {
    list: () =>
      Promise.resolve([...charts.values()].map(({ machine, summary, root, transitions }) => ({
        machine,
        summary,
        states: [...statesOf(root)].length,
        transitions: transitions.length,
      }))),
    laidOut,
    svg: async (machine, { collapsed, ...drawing }) => drawSvg(await laidOut(machine, collapsed), drawing),
  };
}
