/**
 * All that the page knows, as signals. Where it stands (`place` in `navigate.ts`) is in the address's hash; what the
 * server answered is below. Views read these and call the functions of `navigate.ts`; only `load.ts` and `feed.ts`
 * write answers.
 */
import { computed, signal } from "@preact/signals";
import type { ActorStatus, StateValue } from "../recording/format.ts";
import type { MachineEntry, Overview, ViewerSource } from "../server/api.ts";
import type { ActorDetail, ActorRow, ErrorMark, EventFilter, RefusedGuard } from "../timeline/timeline.ts";
import { definedValues, machinesSource, noFilter, type PageFilter, type Tab } from "./address.ts";

/** A source's id, `machineEntries`, or undefined until one is chosen. */
export const sourceId = signal<string | undefined>(undefined);
/** Undefined: at the end, following what comes. */
export const timelinePosition = signal<number | undefined>(undefined);
export const selectedActor = signal<string | undefined>(undefined);
/** Position of the selected event's row. */
export const selectedEvent = signal<number | undefined>(undefined);
/** Chosen in the gallery of machines. */
export const selectedMachine = signal<string | undefined>(undefined);
export const currentTab = signal<Tab>("chart");
export const eventFilterState = signal<PageFilter>(noFilter);

export const viewerSources = signal<ViewerSource[]>([]);
export const machineEntries = signal<MachineEntry[]>([]);
export const recordingOverview = signal<Overview | undefined>(undefined);
/** Living and recently ended actors at the position. */
export const actorRows = signal<ActorRow[]>([]);
/** Duration of the recording when its density was computed. */
export const densityMs = signal(0);
/** Milliseconds for which ended actors stay in the tree. */
export const spans = { living: 0, recent: 10_000, all: 1e12 } as const;
export const endedMs = signal<number>(spans.recent);
/**
 * Number of ended actors that are shown of each parent, the latest ones; thousands would hide the living ones.
 * Failed actors are not counted.
 */
export const endedOfEach = computed(() =>
  endedMs.value === spans.living ? 0 : endedMs.value === spans.recent ? 20 : Infinity
);
/** The selected actor at the position. */
export const selectedDetail = signal<ActorDetail | undefined>(undefined);
export const errorMarks = signal<ErrorMark[]>([]);
/** When a position is; asked for where the address named it. While the end is followed the duration counts. */
export const currentMoment = signal<{ position: number; ms: number }>({ position: 0, ms: 0 });
/** Number of events when the end was left. */
export const eventsSeen = signal(0);
/** Reason why the watched session ended. */
export const endedReason = signal<string | undefined>(undefined);

/** `lost`: does not answer, tried again; `refused`: it knows this browser no more. */
export type FeedStatus = "connecting" | "open" | "lost" | "refused";
export const feedStatus = signal<FeedStatus>("connecting");

/** A failed request, shown where its answer would be. */
export interface Failure {
  code: string;
  message: string;
  next: readonly string[];
}
export type FailurePlace =
  | "source"
  | "sources"
  | "actors"
  | "detail"
  | "event"
  | "events"
  | "machines"
  | "time"
  | "trouble";
export const loadFailures = signal<Partial<Record<FailurePlace, Failure>>>({});

export const inSession = computed(() => sourceId.value !== undefined && sourceId.value !== machinesSource);
export const isLoaded = computed(() => inSession.value && recordingOverview.value !== undefined);
/** Whether the user has to choose a source: none is named, or the named one does not exist. */
export const isChoosingSource = computed(() =>
  sourceId.value === undefined ||
  (inSession.value && recordingOverview.value === undefined && loadFailures.value.source !== undefined)
);
export const followsEnd = computed(() => timelinePosition.value === undefined);
export const eventCount = computed(() => recordingOverview.value?.length ?? 0);
export const recordingDuration = computed(() => recordingOverview.value?.duration ?? 0);
export const shownPosition = computed(() => timelinePosition.value ?? eventCount.value);
/** Position of the selected event, else the shown position, which is after everything that the event caused. */
export const anchorPosition = computed(() => selectedEvent.value ?? shownPosition.value);
export const shownMs = computed(() => followsEnd.value ? recordingDuration.value : currentMoment.value.ms);
export const currentSource = computed(() => viewerSources.value.find(({ id }) => id === sourceId.value));
export const isLive = computed(() => currentSource.value?.state === "live");
/** Lists of events stay at their end: in a session, also once it has ended; a recording is read from its start. */
export const sticksToEnd = computed(() => followsEnd.value && currentSource.value?.kind === "live");
export const actorsById = computed(() => new Map(actorRows.value.map((row) => [row.actor, row])));

/** The page's filter as the server takes it. */
export const eventFilter = computed((): EventFilter => {
  const { scope, type, text, since, until, internal } = eventFilterState.value;
  const actor = scope === "all" ? undefined : selectedActor.value;
  return definedValues({
    actors: actor === undefined ? undefined : [actor],
    descendants: actor !== undefined && scope === "descendants" ? true : undefined,
    type: type || undefined,
    text: text || undefined,
    since,
    until,
    internal: internal || undefined,
  });
});

/** Data for highlighting a chart: of the selected actor or, if that is work, of the machine that started it. */
export interface Highlight {
  actor: string;
  /** Name among its siblings. */
  id: string;
  machine: string;
  position: number;
  /** True where the end of a session is followed, false where a person has gone back. */
  live: boolean;
  value?: StateValue;
  status: ActorStatus;
  /** Transitions just taken (`transitionId`). */
  taken: readonly string[];
  refused: readonly RefusedGuard[];
}

/** Transitions taken last, by actor, as reported by the feed; empty unless the end is followed. */
export const takenTransitions = signal<ReadonlyMap<string, readonly string[]>>(new Map());

export const highlighted = computed((): Highlight | undefined => {
  const row = nearestMachine(selectedActor.value);
  if (row?.machine === undefined) return undefined;
  const shown = selectedDetail.value?.actor === row.actor ? selectedDetail.value.explanation : undefined;
  const told = followsEnd.value ? takenTransitions.value.get(row.actor) : undefined;
  return definedValues({
    actor: row.actor,
    id: row.id,
    machine: row.machine,
    position: shownPosition.value,
    live: followsEnd.value && isLive.value,
    value: row.value,
    status: row.status,
    taken: told ?? shown?.taken ?? [],
    refused: shown?.refused ?? [],
  });
});

function nearestMachine(actor: string | undefined): ActorRow | undefined {
  let row = actor === undefined ? undefined : actorsById.value.get(actor);
  while (row !== undefined && row.machine === undefined) {
    row = row.parent === undefined ? undefined : actorsById.value.get(row.parent);
  }
  return row;
}

/** Dialogs of the page. */
export type DialogName = "help" | "send";

export const openedDialog = signal<DialogName | undefined>(undefined);

export const openDialog = (name: DialogName): void => void (openedDialog.value = name);

export const closeDialog = (): void => void (openedDialog.value = undefined);
