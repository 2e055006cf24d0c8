/** Which machine's chart is shown, and what is lit in it. */
import { computed, signal } from "@preact/signals";
import { present } from "../address.ts";
import { preferredActor } from "../preferred.ts";
import * as state from "../state.ts";

/** Regions that are folded, for each machine. */
export const folded = signal<Readonly<Record<string, readonly string[]>>>({});

/** The chart has the width of the whole window. */
export const wide = signal(false);

/** The view moves along with the states that become active. */
export const following = signal(true);

/** Of the selected actor; of the session where none is selected. Undefined where nothing can be lit. */
export const shownLit = computed((): state.Lit | undefined => {
  if (!state.inSession.value) return undefined;
  if (state.lit.value !== undefined) return state.lit.value;
  const row = state.actorsById.value.get(preferredActor(state.actors.value) ?? "");
  if (row?.machine === undefined) return undefined;
  return present({
    actor: row.actor,
    id: row.id,
    machine: row.machine,
    position: state.shownPosition.value,
    live: state.following.value && state.live.value,
    value: row.value,
    status: row.status,
    taken: state.takenLive.value.get(row.actor) ?? [],
    refused: [],
  });
});

export const shownMachine = computed(() =>
  state.inSession.value ? shownLit.value?.machine : state.selectedMachine.value
);

export function toggleFolded(machine: string, stateId: string): void {
  const now = folded.value[machine] ?? [];
  const next = now.includes(stateId) ? now.filter((id) => id !== stateId) : [...now, stateId];
  folded.value = { ...folded.value, [machine]: next };
}
