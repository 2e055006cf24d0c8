/// <reference lib="dom" />
/** Fetches what the place shows, whenever the place or the recording changes. */
import { batch, effect, signal, untracked } from "@preact/signals";
import type { Overview, ViewerSource } from "../server/api.ts";
import { definedValues, machinesSource } from "./address.ts";
import { api, attempt } from "./api.ts";
import { connectFeed } from "./connect_feed.ts";
import { latestOnly } from "./latest_only.ts";
import { openSource, preferredActor, preferredSource, selectActor } from "./navigate.ts";
import * as state from "./state.ts";

/** While the end is followed, actors and explanation are asked for at this pace; highlights come with the feed. */
const followMs = 250;
const overviewMs = 1000;
/** Milliseconds between updates of ages while a live session has no events. */
const agesMs = 1000;
const sourcesMs = 3000;

const pace = { pauseMs: () => state.followsEnd.value ? followMs : 0 };

/** Location that an answer is for. Answers for another location are dropped. */
interface Asked {
  source: string;
  at: number | undefined;
}
const stillThere = ({ source, at }: Asked) =>
  state.sourceId.value === source && state.timelinePosition.value === at;

const loadActors = latestOnly<Asked>(async (asked) => {
  const which = {
    ended: state.endedMs.value,
    endedOfEach: Number.isFinite(state.endedOfEach.value) ? state.endedOfEach.value : undefined,
    selected: state.selectedActor.value,
  };
  const rows = await attempt("actors", () => api.actors(asked.source, asked.at, definedValues(which)));
  if (rows === undefined || !stillThere(asked)) return;
  batch(() => {
    state.actorRows.value = rows;
    if (state.selectedActor.value === undefined) selectActor(preferredActor(rows));
  });
}, pace);

const loadDetail = latestOnly<Asked & { actor: string; ms: number | undefined }>(async (asked) => {
  const detail = await attempt("detail", () => api.actor(asked.source, asked.actor, asked.at, asked.ms));
  const current = stillThere(asked) && state.selectedActor.value === asked.actor;
  if (detail !== undefined && current) state.selectedDetail.value = detail;
  // At this position it has not begun: what was shown belongs to another.
  if (detail === undefined && current && state.loadFailures.value.detail) {
    state.selectedDetail.value = undefined;
  }
}, pace);

const loadMoment = latestOnly<{ source: string; at: number }>(async (asked) => {
  const ms = await attempt("time", () => timeOf(asked.source, asked.at));
  if (ms !== undefined && stillThere(asked)) state.currentMoment.value = { position: asked.at, ms };
});

/** When the last event before the position happened; all events count, also those that are not listed. */
async function timeOf(source: string, position: number): Promise<number> {
  const everything = { internal: true };
  const before = await api.rowsUpTo(source, everything, position, state.eventCount.peek());
  const { rows } = await api.events(source, everything, Math.max(0, before - 1), 1);
  return rows[0]?.at ?? 0;
}

async function loadOverview(source: string): Promise<void> {
  if (state.sourceId.peek() !== source) return;
  const overview = await attempt("source", () => api.overview(source));
  const trouble = overview && await attempt("trouble", () => api.trouble(source));
  if (state.sourceId.value !== source || overview === undefined) return;
  batch(() => {
    state.densityMs.value = overview.duration;
    // Opened where a link led to: what comes from now on is new.
    if (!state.followsEnd.value && state.eventsSeen.value === 0) state.eventsSeen.value = overview.events;
    state.recordingOverview.value = ahead(state.recordingOverview.value, overview);
    if (trouble !== undefined) state.errorMarks.value = trouble;
    state.viewerSources.value = withSource(state.viewerSources.value, overview.source);
  });
}

/** In the server's order: what one chooses from does not change places. */
const withSource = (known: readonly ViewerSource[], told: ViewerSource): ViewerSource[] =>
  known.some(({ id }) => id === told.id)
    ? known.map((source) => source.id === told.id ? told : source)
    : [...known, told];

/** Keeps the length that the feed reported if it is ahead of the overview. */
const ahead = (known: Overview | undefined, told: Overview): Overview =>
  known === undefined || known.length <= told.length
    ? told
    : { ...told, length: known.length, duration: known.duration, events: known.events };

const loadSources = latestOnly<undefined>(async () => {
  const sources = await attempt("sources", api.sources);
  if (sources === undefined) return;
  batch(() => {
    state.feedStatus.value = "open";
    state.viewerSources.value = sources;
    const preferred = state.sourceId.value === undefined ? preferredSource(sources) : undefined;
    if (preferred !== undefined) openSource(preferred);
  });
});

async function loadMachines(): Promise<void> {
  const machines = await attempt("machines", api.machines);
  if (machines !== undefined) state.machineEntries.value = machines;
}

/** Clears everything that belongs to the previous source. */
const forget = () =>
  batch(() => {
    state.recordingOverview.value = undefined;
    state.eventsSeen.value = 0;
    state.actorRows.value = [];
    state.selectedDetail.value = undefined;
    state.currentMoment.value = { position: 0, ms: 0 };
    state.errorMarks.value = [];
    state.endedReason.value = undefined;
    state.takenTransitions.value = new Map();
    state.loadFailures.value = {};
  });

/** Begins to load, and goes on as long as the page is open. */
export function startLoading(): void {
  loadSources(undefined);
  effect(() => {
    const source = state.sourceId.value;
    untracked(forget);
    if (source === undefined || source === machinesSource) {
      void loadMachines();
      const timer = setInterval(() => loadSources(undefined), sourcesMs);
      return () => clearInterval(timer);
    }
    // Each source has its own pace: one that is opened does not wait for the pause of the one before.
    const refresh = latestOnly(loadOverview, { pauseMs: () => overviewMs });
    return connectFeed(source, {
      refresh: () => refresh(source),
      sourcesAgain: () => loadSources(undefined),
    });
  });
  findMoment();
  setInterval(() => {
    if (state.followsEnd.value && state.isLive.value) heartbeat.value++;
  }, agesMs);
  effect(() => {
    const asked = shownLocation();
    // What is selected may be an ended actor that is otherwise left out.
    void [state.endedMs.value, state.selectedActor.value];
    if (asked !== undefined) loadActors(asked);
  });
  effect(() => {
    const [asked, actor] = [shownLocation(), state.selectedActor.value];
    if (actor === undefined) state.selectedDetail.value = undefined;
    else if (asked !== undefined) loadDetail({ ...asked, actor, ms: msOf(asked) });
  });
}

/** Counts on while a live session is followed. */
const heartbeat = signal(0);

/** Changes with what comes only while the end is followed. */
function shownLocation(): Asked | undefined {
  const [source, at] = [state.sourceId.value, state.timelinePosition.value];
  void state.feedStatus.value; // What was asked for in vain is asked for again.
  if (at === undefined) void [state.eventCount.value, heartbeat.value]; // More came: asked again.
  return source !== undefined && state.isLoaded.value ? { source, at } : undefined;
}

/** Time of the shown moment after the position; undefined if unknown. */
function msOf({ at }: Asked): number | undefined {
  if (at === undefined) return undefined;
  const { position, ms } = state.currentMoment.value;
  return position === at ? ms : undefined;
}

/** A position from the address says no time: it is asked for. */
function findMoment(): void {
  effect(() => {
    const [source, at] = [state.sourceId.value, state.timelinePosition.value];
    void state.feedStatus.value;
    if (source === undefined || at === undefined || !state.isLoaded.value) return;
    if (state.currentMoment.peek().position !== at) loadMoment({ source, at });
  });
}
