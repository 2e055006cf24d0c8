/** The machine whose chart is shown, and the highlight in it. */
import { computed, signal } from "@preact/signals";
import { definedValues } from "../address.ts";
import * as state from "../state.ts";
import { preferredActor } from "../navigate.ts";

/** Regions that are folded, for each machine. */
export const foldedStates = signal<Readonly<Record<string, readonly string[]>>>({});

/** The chart has the width of the whole window. */
export const isWide = signal(false);

/** The view moves along with the states that become active. */
export const followsActiveStates = signal(true);

/** Highlight of the selected actor, or of the session if none is selected. Undefined without a session. */
export const visibleHighlight = computed((): state.Highlight | undefined => {
  if (!state.inSession.value) return undefined;
  if (state.highlighted.value !== undefined) return state.highlighted.value;
  const row = state.actorsById.value.get(preferredActor(state.actorRows.value) ?? "");
  if (row?.machine === undefined) return undefined;
  return definedValues({
    actor: row.actor,
    id: row.id,
    machine: row.machine,
    position: state.shownPosition.value,
    live: state.followsEnd.value && state.isLive.value,
    value: row.value,
    status: row.status,
    taken: state.takenTransitions.value.get(row.actor) ?? [],
    refused: [],
  });
});

export const shownMachine = computed(() =>
  state.inSession.value ? visibleHighlight.value?.machine : state.selectedMachine.value
);

export function toggleFolded(machine: string, stateId: string): void {
  const now = foldedStates.value[machine] ?? [];
  const next = now.includes(stateId) ? now.filter((id) => id !== stateId) : [...now, stateId];
  foldedStates.value = { ...foldedStates.value, [machine]: next };
}
