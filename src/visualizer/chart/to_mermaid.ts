/** A chart as Mermaid's `stateDiagram-v2`. */
import type { Chart, ChartState } from "./chart.ts";
import { labelOf } from "./rows.ts";

/** Text for a Markdown block of the language `mermaid`. Transitions without a target are left out. */
export function toMermaid(chart: Chart): string {
  return [
    "stateDiagram-v2",
    ...stateLines(chart.root, "  "),
    ...chart.transitions.flatMap((transition) =>
      transition.targets.map((target) =>
        `  ${name(transition.source)} --> ${name(target)} : ${plain(labelOf(transition))}`
      )
    ),
    "",
  ].join("\n");
}

function* stateLines(state: ChartState, indent: string): Generator<string> {
  const heading = `${indent}state "${plain(state.key)}" as ${name(state.id)}`;
  if (state.children.length === 0) {
    yield heading;
    if (state.kind === "final") yield `${indent}${name(state.id)} --> [*]`;
    return;
  }
  yield `${heading} {`;
  const inner = `${indent}  `;
  const first = state.children.find(({ key }) => key === state.initial);
  if (first !== undefined) yield `${inner}[*] --> ${name(first.id)}`;
  for (const [index, child] of state.children.entries()) {
    if (state.kind === "parallel" && index > 0) yield `${inner}--`;
    yield* stateLines(child, inner);
  }
  yield `${indent}}`;
}

/**
 * A name that Mermaid takes. `__` stands for the dot of an id; what else is neither letter nor digit becomes its code, so
 * that no two ids get one name. It begins with `s_`: `end` and the like are words of the language.
 */
const name = (id: string): string =>
  `s_${id.replace(/[^A-Za-z0-9]/g, (sign) => sign === "." ? "__" : `_${sign.charCodeAt(0).toString(16)}_`)}`;

/** Without the signs that end a text or have a meaning in it: they become Mermaid's entities. */
const plain = (text: string): string =>
  text.replace(/\n/g, " ").replace(/[#;:"<>{}&|\\`]/g, (sign) => `#${sign.codePointAt(0)!};`);
