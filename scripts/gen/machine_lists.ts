/** Describes a machine for machines/README.md: its picture with its states, and the events that it takes. */
import { machineChart, machineIds } from "../../src/visualizer/chart/machine_chart.ts";
import type { ChartState } from "../../src/visualizer/chart/chart.ts";

const prefix = "machine ";

/** The text of the list `machine <id>`; undefined for another list, or where there is no such machine. */
export function machineList(list: string): string | undefined {
  const id = list.startsWith(prefix) ? list.slice(prefix.length) : "";
  if (!machineIds.includes(id)) return undefined;
  const { root, transitions } = machineChart(id);
  const events = transitions.filter(({ kind, event }) => kind === "event" && !event.startsWith("xstate."));
  return `![${id}: ${root.children.map(stateText).join(", ")}](../docs/machines/${id}.svg)\n\n` +
    `Takes ${eventsText(new Set(events.map(({ event }) => event)))}.`;
}

/** Names of the lists that a page about all machines has to have. */
export const machineListNames = (): string[] => machineIds.map((id) => `${prefix}${id}`);

const stateText = ({ key, children }: ChartState): string =>
  children.length === 0 ? key : `${key} (${children.map((child) => child.key).join(", ")})`;

/** `pool.close`, `.resize`; `lease.requested`: what has the same first word as the one before is shortened. */
function eventsText(events: ReadonlySet<string>): string {
  const groups = Map.groupBy([...events].sort(), (event) => event.split(".")[0]!);
  return [...groups.values()].map(([first, ...others]) =>
    [`\`${first}\``, ...others.map((event) => `\`.${event.split(".").slice(1).join(".")}\``)].join(", ")
  ).join("; ");
}
