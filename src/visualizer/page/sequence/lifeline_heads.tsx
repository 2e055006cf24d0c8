/// <reference lib="dom" />
/** Names of the actors above their lines; they stay while rows scroll. */
import { fittedName, shortId } from "../format/short_names.ts";
import { actorsById, selectedActor } from "../state.ts";
import { type Lifelines, outsideWidth, timeMargin } from "./lifelines.ts";

/** Width of one, about. */
const letter = 9;

interface HeadsProps {
  lifelines: Lifelines;
  /** How far the rows are scrolled to the right. */
  shift: number;
  onSelect(actor: string): void;
}

export function LifelineHeads({ lifelines, shift, onSelect }: HeadsProps) {
  const { lines, width, column } = lifelines;
  return (
    <div class="seq-heads">
      <div class="seq-heads-all" style={{ width: `${width}px`, transform: `translateX(${-shift}px)` }}>
        <span class="seq-outside" style={{ left: `${timeMargin - 14}px`, width: `${outsideWidth + 10}px` }}>
          outside
        </span>
        {lines.map(({ actor, id, x }) => {
          const known = actorsById.value.get(actor);
          const what = known?.machine ?? known?.slot;
          return (
            <button
              key={actor}
              type="button"
              class={`seq-head-name${known ? "" : " ended"}`}
              aria-pressed={actor === selectedActor.value}
              title={`${id} (${actor})${what ? `: ${what}` : ""}${known ? "" : "; not alive at this moment"}`}
              style={{ left: `${x - column / 2 + 3}px`, width: `${column - 6}px` }}
              onClick={() => onSelect(actor)}
            >
              <span>{fittedName(shortId(id), Math.max(7, Math.floor((column - 16) / letter)))}</span>
              <small>{what ?? actor}</small>
            </button>
          );
        })}
      </div>
    </div>
  );
}
