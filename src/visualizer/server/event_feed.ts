/** Server-sent events for one page, merged when the page reads more slowly than they come. */
import { PassThrough, type Readable } from "node:stream";
import type { Growth, Timeline } from "../timeline/timeline.ts";
import type { ViewerSource } from "./api.ts";
import type { OpenSource } from "./sources.ts";

/** Between two pieces of growth, in ms. */
const growthEveryMs = 50;
/** Milliseconds that the browser waits before it reconnects. */
const retryMs = 1000;
/** A connection that says nothing for longer looks lost, in ms. */
const quietMs = 15_000;

export interface EventFeed {
  /** Ends when the page leaves. */
  readonly body: Readable;
  sources(sources: ViewerSource[]): void;
  growth(growth: Growth): void;
  ended(reason: string): void;
  /** Calls when the page left. */
  onClose(listener: () => void): void;
}

export function createFeed(): EventFeed {
  const body = new PassThrough({ highWaterMark: 64 * 1024 });
  // Of each kind at most one waits: a slow page costs no memory.
  const waiting: { sources?: ViewerSource[]; growth?: Growth; ended?: { reason: string } } = {};
  let full = false;
  const write = (text: string) => {
    if (!body.destroyed && !body.write(text)) full = true;
  };
  const flush = () => {
    if (full) return;
    const { sources, growth, ended } = waiting;
    for (const kind of ["sources", "growth", "ended"] as const) delete waiting[kind];
    if (sources) write(eventText("sources", sources));
    if (growth) write(eventText("growth", growth, growth.length));
    if (ended) write(eventText("ended", ended));
  };
  body.on("drain", () => {
    full = false;
    flush();
  });
  const timer = setInterval(() => full || write(": still here\n\n"), quietMs);
  body.once("close", () => clearInterval(timer));
  write(`retry: ${retryMs}\n\n`);
  return {
    body,
    sources(sources) {
      waiting.sources = sources;
      flush();
    },
    growth(growth) {
      waiting.growth = waiting.growth === undefined ? growth : mergeGrowth(waiting.growth, growth);
      flush();
    },
    ended(reason) {
      waiting.ended = { reason };
      flush();
    },
    onClose: (listener) => void body.once("close", listener),
  };
}

/** Tells a page of a source from now on, after what it is at this moment. */
export function followSource(
  feed: EventFeed,
  { timeline, ended }: Pick<OpenSource, "timeline" | "ended">,
): void {
  feed.growth(standOf(timeline));
  feed.onClose(timeline.follow((growth) => feed.growth(growth), growthEveryMs));
  // After the last events: the end is reported when the timeline has read them.
  void ended?.then(({ reason }) => setTimeout(() => feed.ended(reason), 2 * growthEveryMs));
}

const standOf = ({ length, duration, growing }: Timeline): Growth => ({
  length,
  duration,
  growing,
  events: 0,
  moved: [],
});

const eventText = (event: string, data: unknown, id?: number): string =>
  `${id === undefined ? "" : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

/** Transitions of one actor that are kept when growth is merged: flashing more of them cannot be told apart. */
const mostTaken = 50;

/** Two pieces of growth as one, for a page that reads more slowly than they come. */
export function mergeGrowth(first: Growth, second: Growth): Growth {
  const moved = new Map(first.moved.map((one) => [one.actor, one]));
  for (const one of second.moved) {
    const taken = [...moved.get(one.actor)?.taken ?? [], ...one.taken].slice(-mostTaken);
    moved.set(one.actor, { ...one, taken });
  }
  return {
    ...second,
    events: first.events + second.events,
    moved: [...moved.values()],
  };
}
