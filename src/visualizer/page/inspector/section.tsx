/// <reference lib="dom" />
/** A part of the inspector that folds, with how much is in it. */
import { signal } from "@preact/signals";
import { shortId } from "../format.ts";
import { selectActor } from "../navigate.ts";
import type { ComponentChildren } from "preact";

/** Parts that their user folded stay so for every actor. */
const folded = signal<ReadonlySet<string>>(new Set());

export interface SectionProps {
  title: string;
  count?: number | undefined;
  hint: string;
  children: ComponentChildren;
}

export function Section({ title, count, hint, children }: SectionProps) {
  const toggle = (event: Event) => {
    const next = new Set(folded.peek());
    if ((event.currentTarget as HTMLDetailsElement).open) next.delete(title);
    else next.add(title);
    if (next.size !== folded.peek().size) folded.value = next;
  };
  return (
    <details class="section" open={!folded.value.has(title)} onToggle={toggle}>
      <summary title={hint}>
        {title} {count !== undefined && <span class="quiet">{count}</span>}
      </summary>
      <div>{children}</div>
    </details>
  );
}

export const ActorLink = ({ actor, id }: { actor: string; id: string }) => (
  <button
    type="button"
    class="link"
    title={`${id} (${actor})`}
    onClick={() => selectActor(actor)}
  >
    {shortId(id)}
  </button>
);
