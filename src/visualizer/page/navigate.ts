/// <reference lib="dom" />
/**
 * Moves the page to another location, and keeps the hash of its address the same as that location.
 * `start_loading.ts` fetches the data of the new location.
 */
import { batch, effect } from "@preact/signals";
import type { ActorRow, EventRow } from "../timeline/timeline.ts";
import {
  definedValues,
  machinesSource,
  noFilter,
  type PageFilter,
  type PageLocation,
  readAddress,
  type Tab,
  writeAddress,
} from "./address.ts";
import * as state from "./state.ts";
import type { ViewerSource } from "../server/api.ts";

const currentLocation = (): PageLocation =>
  definedValues({
    source: state.sourceId.value,
    at: state.timelinePosition.value,
    actor: state.selectedActor.value,
    event: state.selectedEvent.value,
    machine: state.selectedMachine.value,
    tab: state.currentTab.value,
    filter: state.eventFilterState.value,
  });

const goTo = (to: PageLocation): void =>
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

/** A recording that was named; else the only session; the machines where there is none; nothing where one has to choose. */
export function preferredSource(sources: readonly ViewerSource[]): string | undefined {
  const recording = sources.find(({ kind }) => kind === "recording");
  if (recording !== undefined) return recording.id;
  if (sources.length === 0) return machinesSource;
  const living = sources.filter(({ state }) => state === "live");
  if (living.length === 1) return living[0]?.id;
  return sources.length === 1 ? sources[0]?.id : undefined;
}

/** The session, which all work goes through; before there is one, the first machine. */
export function preferredActor(rows: readonly ActorRow[]): string | undefined {
  const row = rows.find(({ machine }) => machine === "session") ??
    rows.find(({ machine }) => machine !== undefined);
  return row?.actor;
}

export function keepAddress(): void {
  goTo(readAddress(location.hash));
  addEventListener("popstate", () => goTo(readAddress(location.hash)));
  let before = currentLocation();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const write = (now: PageLocation) => {
    clearTimeout(timer);
    const address = writeAddress(now);
    if (address !== writeAddress(readAddress(location.hash))) history.replaceState(null, "", address);
  };
  effect(() => {
    const now = currentLocation();
    clearTimeout(timer);
    if (writeAddress(now) === writeAddress(readAddress(location.hash))) {
      // As it should be, or "back" led here.
    } else if (isStep(before, now)) {
      write(before); // "Back" leads to where one was at last.
      history.pushState(null, "", writeAddress(now));
    } else timer = setTimeout(() => write(now), restMs);
    before = now;
  });
}

/** Browsers refuse addresses that change many times a second, as in playing or dragging: only where it rests counts. */
const restMs = 200;

/** Whether a change is a step in the browser's history. Moving in time and editing the filter are not. */
const isStep = (before: PageLocation, now: PageLocation): boolean =>
  before.source !== undefined &&
  (before.source !== now.source || before.tab !== now.tab || before.machine !== now.machine ||
    (before.actor !== undefined && before.actor !== now.actor));
