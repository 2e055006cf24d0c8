/** A chart in DOT, the language of Graphviz. */
import type { Chart, ChartState, ChartTransition } from "./chart.ts";
import { isInside, statesOf } from "./chart_of.ts";

/**
 * States with others in them are clusters; lines end at their borders (`lhead`, `ltail`). Transitions without a target are
 * left out.
 */
export function toDot(chart: Chart): string {
  const byId = new Map([...statesOf(chart.root)].map((state) => [state.id, state]));
  return [
    `digraph ${quote(chart.machine)} {`,
    "  compound=true;",
    '  node [shape=box, style=rounded, fontname="monospace", fontsize=11];',
    '  edge [fontname="monospace", fontsize=9];',
    '  graph [fontname="monospace", fontsize=11, style=rounded];',
    ...stateLines(chart.root, undefined, "  ", chart),
    ...chart.transitions.flatMap((transition) =>
      transition.targets.map((target) =>
        `  ${edge(byId.get(transition.source)!, byId.get(target)!, labelOf(transition))}`
      )
    ),
    "}",
    "",
  ].join("\n");
}

function* stateLines(
  state: ChartState,
  parent: ChartState | undefined,
  indent: string,
  chart: Chart,
): Generator<string> {
  if (state.children.length === 0) {
    const final = state.kind === "final" ? ", peripheries=2" : "";
    yield `${indent}${quote(state.id)} [label=${quote(state.key)}${final}];`;
    return;
  }
  const inner = `${indent}  `;
  yield `${indent}subgraph ${quote(`cluster ${state.id}`)} {`;
  yield `${inner}label=${quote(state.key)};`;
  if (parent?.kind === "parallel") yield `${inner}style="rounded,dashed";`;
  const first = state.children.find(({ key }) => key === state.initial);
  if (first !== undefined) {
    const dot = quote(`initial ${state.id}`);
    yield `${inner}${dot} [shape=point, width=0.12, label=""];`;
    yield `${inner}${dot} -> ${quote(anchorOf(first))}${
      attributes(first.children.length > 0 && { lhead: first.id })
    };`;
  }
  for (const child of state.children) yield* stateLines(child, state, inner, chart);
  const leadsInside = chart.transitions.some(({ source, targets }) =>
    source === state.id && targets.some((target) => isInside(target, state.id))
  );
  if (leadsInside) yield `${inner}${quote(anyIn(state))} [shape=plaintext, label="in any state"];`;
  yield `${indent}}`;
}

/** A line cannot end at a cluster itself: it leads to a state in it and is cut at the border. */
const anchorOf = (state: ChartState): string => {
  const first = state.children.find(({ key }) => key === state.initial) ?? state.children[0];
  return first === undefined ? state.id : anchorOf(first);
};

/** Name of the point from which transitions to an inner state of the same state start. */
const anyIn = (state: ChartState): string => `any ${state.id}`;

function edge(source: ChartState, target: ChartState, label: string): string {
  const inwards = isInside(target.id, source.id);
  const from = inwards ? anyIn(source) : anchorOf(source);
  const around = target.id === source.id || isInside(source.id, target.id);
  return `${quote(from)} -> ${quote(anchorOf(target))}${
    attributes({
      label,
      ...(source.children.length > 0 && !inwards && !around && { ltail: source.id }),
      ...(target.children.length > 0 && !around && { lhead: target.id }),
    })
  };`;
}

const labelOf = ({ label, guard }: ChartTransition): string =>
  guard === undefined ? label : `${label}\n[${guard}]`;

function attributes(values: { label?: string; lhead?: string; ltail?: string } | false): string {
  if (values === false) return "";
  const texts = Object.entries(values).map(([key, value]) =>
    `${key}=${quote(key === "label" ? value : `cluster ${value}`)}`
  );
  return ` [${texts.join(", ")}]`;
}

/** A quoted id or text; its only special signs are quotes, backslashes and the end of a line. */
const quote = (text: string): string =>
  `"${text.replace(/\\/g, "\\\\").replace(/"/g, '\\"').replace(/\n/g, "\\n")}"`;
