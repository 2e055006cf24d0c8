/// <reference lib="dom" />
/** Follows a source as it grows, and finds it again after the connection broke. */
import { batch, effect } from "@preact/signals";
import type { ViewerSource } from "../server/api.ts";
import type { ActorRow, Growth } from "../timeline/timeline.ts";
import { api, apiPath, attempt } from "./api.ts";
import * as state from "./state.ts";
import { definedValues } from "./address.ts";

const pausesMs = [500, 1000, 2000, 4000];

export interface FeedNeeds {
  /** The overview is out of date. */
  refresh: () => void;
  sourcesAgain: () => void;
}

/** Answers how to stop. */
export function connectFeed(source: string, { refresh, sourcesAgain }: FeedNeeds): () => void {
  let stopped = false;
  let tries = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let stream: EventSource | undefined;

  const open = () => {
    const opened = stream = new EventSource(apiPath("sources", source, "feed"));
    opened.onopen = () => {
      tries = 0;
      state.feedStatus.value = "open";
      refresh();
      sourcesAgain();
    };
    opened.onerror = () => {
      opened.close();
      retry();
    };
    hear<Growth>(opened, "growth", (growth) => {
      grow(growth);
      refresh();
    });
    hear<ViewerSource[]>(opened, "sources", (sources) => void (state.viewerSources.value = sources));
    hear<{ reason: string }>(opened, "ended", ({ reason }) => {
      state.endedReason.value = reason;
      refresh();
      sourcesAgain();
    });
  };

  /** The stream does not say why it broke: an ordinary question does. */
  const retry = () => {
    if (stopped) return;
    timer = setTimeout(async () => {
      const sources = await attempt("sources", api.sources);
      if (stopped || state.feedStatus.value === "refused") return;
      if (sources === undefined) retry();
      else if (sources.some(({ id }) => id === source)) open();
      else notThere(sources);
    }, pausesMs[Math.min(tries++, pausesMs.length - 1)]);
  };

  /** The viewer answers, but has no such source: its overview reports that. */
  const notThere = (sources: ViewerSource[]) => {
    state.feedStatus.value = "open";
    state.viewerSources.value = sources;
    refresh();
  };

  refresh();
  open();
  // A question got no answer though the stream says nothing: it may be dead, too, and nothing else would ask again.
  const unwatch = effect(() => {
    if (state.feedStatus.value !== "lost" || stream?.readyState !== EventSource.OPEN) return;
    stream.close();
    retry();
  });
  return () => {
    stopped = true;
    unwatch();
    clearTimeout(timer);
    stream?.close();
  };
}

const hear = <Told>(stream: EventSource, name: string, listener: (told: Told) => void) =>
  stream.addEventListener(
    name,
    (event) => listener(JSON.parse((event as MessageEvent<string>).data) as Told),
  );

/**
 * Applies growth to the page's state. Highlights change at once while the end is followed; otherwise only the
 * totals change.
 */
const grow = (growth: Growth) =>
  batch(() => {
    const overview = state.recordingOverview.value;
    if (overview !== undefined) {
      const { length, duration, growing } = growth;
      state.recordingOverview.value = {
        ...overview,
        length,
        duration,
        growing,
        events: overview.events + growth.events,
      };
    }
    if (!state.followsEnd.value) {
      // Out of date by now: back at the end it would be highlighted as just taken.
      if (state.takenTransitions.value.size > 0) state.takenTransitions.value = new Map();
      return;
    }
    state.actorRows.value = moveActors(state.actorRows.value, growth.moved);
    const told = growth.moved.map(({ actor, taken }) => [actor, taken] as const);
    const known = state.actorsById.value;
    state.takenTransitions.value = new Map(
      [...state.takenTransitions.value, ...told].filter(([actor]) => known.has(actor)),
    );
  });

/** Actors that are not in the list are new: the next list has them. */
export function moveActors(rows: readonly ActorRow[], moved: Growth["moved"]): ActorRow[] {
  const byActor = new Map(moved.map((move) => [move.actor, move]));
  return rows.map((row) => {
    const move = byActor.get(row.actor);
    if (move === undefined) return row;
    const { value = row.value, status } = move;
    return definedValues({
      ...row,
      value,
      status,
      health: status === "active" ? row.health : "ended" as const,
    });
  });
}
