/** Where the page goes when its user asks: each function changes the place, and `load.ts` fetches what is then shown. */
import { batch } from "@preact/signals";
import type { EventRow } from "../timeline/timeline.ts";
import {
  definedValues,
  machinesSource,
  noFilter,
  type PageFilter,
  type PageLocation,
  type Tab,
} from "./address.ts";
import * as state from "./state.ts";

export const currentLocation = (): PageLocation =>
  definedValues({
    source: state.sourceId.value,
    at: state.timelinePosition.value,
    actor: state.selectedActor.value,
    event: state.selectedEvent.value,
    machine: state.selectedMachine.value,
    tab: state.currentTab.value,
    filter: state.eventFilterState.value,
  });

export const goTo = (to: PageLocation): void =>
  batch(() => {
    state.sourceId.value = to.source;
    state.timelinePosition.value = to.at;
    state.selectedActor.value = to.actor;
    state.selectedEvent.value = to.event;
    state.selectedMachine.value = to.machine;
    state.currentTab.value = to.tab;
    state.eventFilterState.value = to.filter;
  });

export const openSource = (source: string): void =>
  goTo({ source, tab: state.currentTab.value, filter: noFilter });
export const openMachine = (machine: string | undefined): void =>
  goTo(definedValues({ source: machinesSource, machine, tab: "chart" as const, filter: noFilter }));

export const selectActor = (actor: string | undefined): void =>
  batch(() => {
    state.selectedActor.value = actor;
    state.selectedEvent.value = undefined;
    if (actor === undefined && state.eventFilterState.value.scope !== "all") setFilter({ scope: "all" });
  });

/** The event is shown, and what it led to. */
export const selectEvent = (row: Pick<EventRow, "position" | "settled" | "at">): void =>
  batch(() => {
    seekTo(row.settled, row.at);
    state.selectedEvent.value = row.position;
  });

export const seekTo = (position: number, ms: number): void =>
  batch(() => {
    if (state.followsEnd.value) state.eventsSeen.value = state.recordingOverview.value?.events ?? 0;
    state.timelinePosition.value = position;
    state.currentMoment.value = { position, ms };
    state.selectedEvent.value = undefined;
  });

export const followEnd = (): void =>
  batch(() => {
    state.timelinePosition.value = undefined;
    state.selectedEvent.value = undefined;
  });

export const showTab = (tab: Tab): void => void (state.currentTab.value = tab);

/** Changes these facts of the filter; a key with undefined is taken away. */
export const setFilter = (change: { [Key in keyof PageFilter]?: PageFilter[Key] | undefined }): void => {
  state.eventFilterState.value = {
    ...noFilter,
    ...definedValues({ ...state.eventFilterState.value, ...change }),
  };
};

/** Only events of this type: a click on a transition or a state asks for it. */
export const filterByType = (type: string): void =>
  batch(() => {
    setFilter({ type });
    showTab("events");
  });
