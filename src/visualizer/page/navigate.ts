/** Where the page goes when its user asks: each function changes the place, and `load.ts` fetches what is then shown. */
import { batch } from "@preact/signals";
import type { EventRow } from "../timeline/timeline.ts";
import { machinesSource, noFilter, type PageFilter, type Place, present, type Tab } from "./address.ts";
import * as state from "./state.ts";

export const place = (): Place =>
  present({
    source: state.sourceId.value,
    at: state.position.value,
    actor: state.selectedActor.value,
    event: state.selectedEvent.value,
    machine: state.selectedMachine.value,
    tab: state.tab.value,
    filter: state.filter.value,
  });

export const goTo = (to: Place): void =>
  batch(() => {
    state.sourceId.value = to.source;
    state.position.value = to.at;
    state.selectedActor.value = to.actor;
    state.selectedEvent.value = to.event;
    state.selectedMachine.value = to.machine;
    state.tab.value = to.tab;
    state.filter.value = to.filter;
  });

export const openSource = (source: string): void => goTo({ source, tab: state.tab.value, filter: noFilter });
export const openMachine = (machine: string | undefined): void =>
  goTo(present({ source: machinesSource, machine, tab: "chart" as const, filter: noFilter }));

export const selectActor = (actor: string | undefined): void =>
  batch(() => {
    state.selectedActor.value = actor;
    state.selectedEvent.value = undefined;
    if (actor === undefined && state.filter.value.scope !== "all") setFilter({ scope: "all" });
  });

/** The event is shown, and what it led to. */
export const selectEvent = (row: Pick<EventRow, "position" | "settled" | "at">): void =>
  batch(() => {
    standAt(row.settled, row.at);
    state.selectedEvent.value = row.position;
  });

export const standAt = (position: number, ms: number): void =>
  batch(() => {
    if (state.following.value) state.eventsSeen.value = state.overview.value?.events ?? 0;
    state.position.value = position;
    state.moment.value = { position, ms };
    state.selectedEvent.value = undefined;
  });

export const followEnd = (): void =>
  batch(() => {
    state.position.value = undefined;
    state.selectedEvent.value = undefined;
  });

export const showTab = (tab: Tab): void => void (state.tab.value = tab);

/** Changes these facts of the filter; a key with undefined is taken away. */
export const setFilter = (change: { [Key in keyof PageFilter]?: PageFilter[Key] | undefined }): void => {
  state.filter.value = { ...noFilter, ...present({ ...state.filter.value, ...change }) };
};

/** Only events of this type: a click on a transition or a state asks for it. */
export const filterByType = (type: string): void =>
  batch(() => {
    setFilter({ type });
    showTab("events");
  });
