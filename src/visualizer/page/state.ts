/**
 * All that the page knows, as signals. Where it stands (`place` in `navigate.ts`) is in the address's hash; what the
 * server answered is below. Views read these and call the functions of `navigate.ts`; only `load.ts` and `feed.ts`
 * write answers.
 */
import { computed, signal } from "@preact/signals";
import type { ActorStatus, StateValue } from "../recording/format.ts";
import type { MachineEntry, Overview, Source } from "../server/api.ts";
import type { ActorDetail, ActorRow, EventFilter, RefusedGuard, Trouble } from "../timeline/timeline.ts";
import { machinesSource, noFilter, type PageFilter, present, type Tab } from "./address.ts";

/** A source's id, `machines`, or undefined until one is chosen. */
export const sourceId = signal<string | undefined>(undefined);
/** Undefined: at the end, following what comes. */
export const position = signal<number | undefined>(undefined);
export const selectedActor = signal<string | undefined>(undefined);
/** Position of the selected event's row. */
export const selectedEvent = signal<number | undefined>(undefined);
/** Chosen in the gallery of machines. */
export const selectedMachine = signal<string | undefined>(undefined);
export const tab = signal<Tab>("chart");
export const filter = signal<PageFilter>(noFilter);

export const sources = signal<Source[]>([]);
export const machines = signal<MachineEntry[]>([]);
export const overview = signal<Overview | undefined>(undefined);
/** Living and lately ended actors at the position. */
export const actors = signal<ActorRow[]>([]);
/** How long the recording was when its density was counted. */
export const densityMs = signal(0);
/** How long ended actors stay in the tree, in milliseconds. */
export const spans = { living: 0, recent: 10_000, all: 1e12 } as const;
export const endedMs = signal<number>(spans.recent);
/** So many of each actor, the last ones: of thousands they would hide those that live. What failed is not counted. */
export const endedOfEach = computed(() =>
  endedMs.value === spans.living ? 0 : endedMs.value === spans.recent ? 20 : Infinity
);
/** The selected actor at the position. */
export const detail = signal<ActorDetail | undefined>(undefined);
export const trouble = signal<Trouble[]>([]);
/** When a position is; asked for where the address named it. While the end is followed the duration counts. */
export const moment = signal<{ position: number; ms: number }>({ position: 0, ms: 0 });
/** How many events there were when the end was left. */
export const eventsSeen = signal(0);
/** Why the live session that is looked at is over. */
export const endedReason = signal<string | undefined>(undefined);

/** `lost`: does not answer, tried again; `refused`: it knows this browser no more. */
export type Connection = "connecting" | "open" | "lost" | "refused";
export const connection = signal<Connection>("connecting");

/** A failure, told where it belongs. */
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
export const failures = signal<Partial<Record<FailurePlace, Failure>>>({});

export const inSession = computed(() => sourceId.value !== undefined && sourceId.value !== machinesSource);
export const loaded = computed(() => inSession.value && overview.value !== undefined);
/** Nothing can be shown until its user has chosen: no source is named, or one that there is not. */
export const choosing = computed(() =>
  sourceId.value === undefined ||
  (inSession.value && overview.value === undefined && failures.value.source !== undefined)
);
export const following = computed(() => position.value === undefined);
export const length = computed(() => overview.value?.length ?? 0);
export const duration = computed(() => overview.value?.duration ?? 0);
export const shownPosition = computed(() => position.value ?? length.value);
/** Where among the events the page stands: at the selected one; the position is after all that it led to. */
export const anchor = computed(() => selectedEvent.value ?? shownPosition.value);
export const shownMs = computed(() => following.value ? duration.value : moment.value.ms);
export const source = computed(() => sources.value.find(({ id }) => id === sourceId.value));
export const live = computed(() => source.value?.state === "live");
/** Lists of events stay at their end: in a session, also once it is over; a recording is read from its start. */
export const sticksToEnd = computed(() => following.value && source.value?.kind === "live");
export const actorsById = computed(() => new Map(actors.value.map((row) => [row.actor, row])));

/** The page's filter as the server takes it. */
export const eventFilter = computed((): EventFilter => {
  const { scope, type, text, since, until, internal } = filter.value;
  const actor = scope === "all" ? undefined : selectedActor.value;
  return present({
    actors: actor === undefined ? undefined : [actor],
    descendants: actor !== undefined && scope === "descendants" ? true : undefined,
    type: type || undefined,
    text: text || undefined,
    since,
    until,
    internal: internal || undefined,
  });
});

/** What a chart lights: the selected actor, or, where that is work, the machine that started it. */
export interface Lit {
  actor: string;
  /** Its name among its siblings. */
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

/** Transitions taken last, by actor, as the feed told them; only while the end is followed. */
export const takenLive = signal<ReadonlyMap<string, readonly string[]>>(new Map());

export const lit = computed((): Lit | undefined => {
  const row = nearestMachine(selectedActor.value);
  if (row?.machine === undefined) return undefined;
  const shown = detail.value?.actor === row.actor ? detail.value.explanation : undefined;
  const told = following.value ? takenLive.value.get(row.actor) : undefined;
  return present({
    actor: row.actor,
    id: row.id,
    machine: row.machine,
    position: shownPosition.value,
    live: following.value && live.value,
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
