/// <reference lib="dom" />
/** Card of a state: entry and exit actions, invoked actors, transitions. */
import { batch } from "@preact/signals";
import type { ChartState } from "../../chart/chart.ts";
import { selectActor, setFilter, showTab } from "../navigate.ts";
import { type Highlight, inSession } from "../state.ts";
import type { ChartDrawing } from "./chart_drawing.ts";
import { eventsOf, findState, highlightedStates, transitionsOf, withoutMachine } from "./find_state.ts";
import { transitionText } from "./pointed_line.tsx";
import { toggleFolded } from "./shown_chart.ts";

interface CardProps {
  drawing: ChartDrawing;
  lit: Highlight | undefined;
  state: string;
  /** Another state, or none. */
  onState(state: string | undefined): void;
}

export function StateCard({ drawing, lit, state: id, onState }: CardProps) {
  const { chart } = drawing.laidOut;
  const state = findState(chart, id);
  if (state === undefined) return null;
  const active = lit !== undefined && highlightedStates(lit.machine, lit.value).includes(id);
  const isFolded = drawing.collapsed.includes(id);
  const events = eventsOf(chart, id);
  return (
    <aside class="state-card" aria-label={`State ${withoutMachine(id)}`}>
      <header>
        <strong>{withoutMachine(id)}</strong>
        <span>{kinds[state.kind]}{active ? ", active" : ""}</span>
        <button type="button" aria-label="Close" onClick={() => onState(undefined)}>×</button>
      </header>
      <Facts name="On entry" facts={state.entry} />
      <Facts name="On exit" facts={state.exit} />
      <Facts name="Invokes" facts={state.invokes.map(({ src }) => src)} />
      <Facts
        name="Transitions"
        facts={transitionsOf(chart, id).map((transition) => transitionText(transition, lit))}
      />
      {state.initial !== undefined && <Facts name="Begins in" facts={[state.initial]} />}
      <footer>
        {inSession.value && lit && events.length > 0 && (
          <button
            type="button"
            onClick={() => showEvents(lit.actor, events)}
          >
            Its events
          </button>
        )}
        {state.children.length > 0 && id !== chart.machine && (
          <button
            type="button"
            onClick={() => toggleFolded(drawing.machine, id)}
          >
            {isFolded ? "Unfold" : "Fold"}
          </button>
        )}
      </footer>
    </aside>
  );
}

const kinds: Record<ChartState["kind"], string> = {
  atomic: "state",
  compound: "state with parts",
  parallel: "side by side",
  final: "final",
  history: "history",
};

function Facts({ name, facts }: { name: string; facts: readonly string[] }) {
  if (facts.length === 0) return null;
  return (
    <section>
      <h4>{name}</h4>
      <ul>{facts.map((fact, index) => <li key={index}>{fact}</li>)}</ul>
    </section>
  );
}

/** The events that this actor's state has transitions for. */
const showEvents = (actor: string, events: readonly string[]): void =>
  batch(() => {
    selectActor(actor);
    setFilter({ scope: "actor", type: events.join(" "), internal: true });
    showTab("events");
  });
