/** Below a chart: in words, what the pointer or the focus is on. */
import type { Chart, ChartTransition } from "../../chart/chart.ts";
import type { Highlight } from "../state.ts";
import type { Pointed } from "./highlight_chart.ts";
import { highlightedStates, innermostStates, withoutMachine } from "./find_state.ts";
import { groupedDigits } from "../format.ts";

interface PointedProps {
  chart: Chart;
  lit: Highlight | undefined;
  pointed: Pointed | undefined;
}

export function PointedLine({ chart, lit, pointed }: PointedProps) {
  const transitions = chart.transitions.filter(({ id }) => pointed?.transitions.includes(id));
  const text = transitions.length > 0
    ? transitions.map((transition) => transitionText(transition, lit)).join("  ·  ")
    : pointed?.state !== undefined
    ? `${withoutMachine(pointed.state)}: click for what it does`
    : whereText(lit) ?? chart.summary;
  return <p class="chart-pointed" title={text}>{text}</p>;
}

/** `session is in open.environment.ready, …`; undefined without a highlight. */
function whereText(lit: Highlight | undefined): string | undefined {
  if (lit === undefined) return undefined;
  const states = innermostStates(highlightedStates(lit.machine, lit.value)).map(withoutMachine).join(", ");
  if (states === "") return `${lit.id} is ${lit.status}`;
  return `${lit.id} is ${lit.status === "active" ? "in" : `${lit.status}, last in`} ${states}`;
}

/** `provision done: provisioning → ready, when isFree; refused, at line 1,234`. */
export function transitionText(
  { id, label, source, targets, guard, actions }: ChartTransition,
  lit: Pick<Highlight, "refused"> | undefined,
): string {
  const to = targets.length > 0 ? targets.map(withoutMachine).join(" and ") : "stays";
  const refused = lit?.refused.filter(({ transition }) => transition === id).at(-1);
  return [
    `${label}: ${withoutMachine(source)} → ${to}`,
    guard && `when ${guard}`,
    refused &&
    `refused${refused.event && ` when ${refused.event} came`}, at line ${groupedDigits(refused.position)}`,
    actions.length > 0 && `does: ${actions.join(", ")}`,
  ].filter(Boolean).join("; ");
}
