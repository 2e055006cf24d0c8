/**
 * Sources of the viewer: the recording that was named, and live sessions as they come and go.
 *
 * A session is watched while a page shows it, and for a short time after that. A session that ended while it was
 * watched stays with its recording.
 */
import { log } from "../../platform/log.ts";
import type { Announcement } from "../../registry/announcement.ts";
import { notFoundError } from "./replies.ts";
import type { ViewerSource } from "./api.ts";
import { liveId, recordingId, recordingSource, sessionSource } from "./viewer_source.ts";
import { type AsyncClosable, createRefCountedPool, type RefCounted } from "./ref_counted_pool.ts";
import { type WatchedSession, watchSession } from "../live/watch_session.ts";
import type { Timeline } from "../timeline/timeline.ts";
import { listAnnouncements } from "../live/list_announcements.ts";
import { openTimeline } from "../timeline/open_timeline.ts";

export interface Sources {
  list(): Promise<ViewerSource[]>;
  /** Opens what is not open yet, and keeps it open until the work is done. @throws {PthError} `INVALID_INPUT` for an unknown one */
  use<T>(id: string, work: (open: OpenSource) => Promise<T>): Promise<T>;
  /** The same until `release` is called. */
  hold(id: string): Promise<RefCounted<OpenSource>>;
  /** Calls when the list changes; searches for sessions only while there is a listener. Returns how to stop. */
  follow(listener: (sources: ViewerSource[]) => void): () => void;
  close(): Promise<void>;
}

export interface SourcesOptions {
  world: SourcesWorld;
  /** Path of a recording. */
  recording?: string;
  allowSend?: boolean;
  /** Milliseconds between two searches for sessions. */
  lookEveryMs?: number;
  /** Milliseconds for which a session is watched after its last page has left. */
  lingerMs?: number;
}

export function createSources(options: SourcesOptions): Sources {
  const { world, recording, allowSend = false, lookEveryMs = 1000, lingerMs = 10_000 } = options;
  const opened = createRefCountedPool<OpenSource>(lingerMs);
  /** Sessions that are over, with their past. */
  const past = new Map<string, ViewerSource>();
  /** Latest announcement of each session: the plugin under test is often known only after the start. */
  const latest = new Map<string, Announcement>();
  const list = createList(world, (living) => {
    for (const one of living) latest.set(liveId(one), one);
    return [
      ...(recording === undefined ? [] : [recordingSource(recording)]),
      ...living.filter((one) => !past.has(liveId(one))).map((one) => sessionSource(one, allowSend)),
      ...past.values(),
    ];
  });
  const stays = (id: string) => id === recordingId || past.has(id);
  let timer: ReturnType<typeof setInterval> | undefined;

  const stopTicking = () => {
    clearInterval(timer);
    timer = undefined;
  };
  const tick = () => {
    opened.sweep(stays);
    if (list.isFollowed()) void list.look();
    else if (opened.ids().every(stays)) stopTicking();
  };
  const startTicking = () => timer ??= setInterval(tick, lookEveryMs);

  async function open(id: string): Promise<OpenSource> {
    if (id === recordingId && recording !== undefined) return await openRecordingSource(recording, world);
    const announcement = (await list.announced()).find((one) => liveId(one) === id);
    if (announcement === undefined) {
      throw notFoundError(`source "${id}"`, ["If it was a session, it has ended: choose another source"]);
    }
    startTicking();
    const nowOf = () => latest.get(id) ?? announcement;
    return await openSessionSource(
      announcement,
      world,
      () => past.get(id) ?? sessionSource(nowOf(), allowSend),
      () => {
        past.set(id, { ...sessionSource(nowOf(), false), state: "ended" });
        void list.look();
      },
    );
  }

  const hold = (id: string) => opened.hold(id, () => open(id));
  return {
    list: list.look,
    hold,
    async use(id, work) {
      const { open, release } = await hold(id);
      try {
        return await work(open);
      } finally {
        release();
      }
    },
    follow(listener) {
      startTicking();
      return list.follow(listener);
    },
    async close() {
      stopTicking();
      await opened.close();
    },
  };
}

/** List of announced sessions as sources; notifies listeners when it changes. */
function createList(world: SourcesWorld, toSources: (living: Announcement[]) => ViewerSource[]) {
  const listeners = new Set<(sources: ViewerSource[]) => void>();
  let told = "";
  let failed = false;

  /** Reads announcements. A folder that cannot be read is logged once: recordings can still be opened. */
  async function announced(): Promise<Announcement[]> {
    try {
      return await world.announcements();
    } catch (error) {
      if (!failed) log.warn("Cannot look for live sessions", { error });
      failed = true;
      return [];
    }
  }

  async function look(): Promise<ViewerSource[]> {
    const sources = toSources(await announced());
    const text = JSON.stringify(sources);
    if (text !== told) { for (const listener of listeners) listener(sources); }
    told = text;
    return sources;
  }

  return {
    announced,
    look,
    isFollowed: () => listeners.size > 0,
    follow(listener: (sources: ViewerSource[]) => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** Access of sources to recordings and sessions, replaced in tests. */
export interface SourcesWorld {
  openTimeline(path: string, options: { ended?: Promise<unknown> }): Promise<Timeline>;
  announcements(): Promise<Announcement[]>;
  watch(announcement: Announcement): Promise<WatchedSession>;
}

/** A source that is read. */
export interface OpenSource extends AsyncClosable {
  readonly source: ViewerSource;
  readonly timeline: Timeline;
  readonly file: string;
  /** Reason for the end of a session. */
  readonly ended?: Promise<{ reason: string }>;
  send?: WatchedSession["send"];
}

async function openRecordingSource(path: string, { openTimeline }: SourcesWorld): Promise<OpenSource> {
  const timeline = await openTimeline(path, {});
  return { source: recordingSource(path), timeline, file: path, close: () => timeline.close() };
}

/**
 * @param sourceOf what the session is by now
 * @param onEnd called when it has ended while it is watched
 */
async function openSessionSource(
  announcement: Announcement,
  { openTimeline, watch }: SourcesWorld,
  sourceOf: () => ViewerSource,
  onEnd: () => void,
): Promise<OpenSource> {
  const watched = await watch(announcement);
  const { file, ended } = watched;
  try {
    const timeline = await openTimeline(file, { ended });
    let closed = false;
    void ended.then(() => closed || onEnd());
    return {
      get source() {
        return sourceOf();
      },
      timeline,
      file,
      ended,
      send: (actor, event) => watched.send(actor, event),
      async close() {
        closed = true;
        await timeline.close();
        await watched.close();
      },
    };
  } catch (error) {
    await watched.close();
    throw error;
  }
}

/** @throws {PthError} if the recording cannot be read: reported before a page is served */
export async function openSources(options: Omit<SourcesOptions, "world">): Promise<Sources> {
  const sources = createSources({
    ...options,
    world: { openTimeline, announcements: () => listAnnouncements(), watch: (one) => watchSession(one) },
  });
  if (options.recording !== undefined) await sources.use(recordingId, () => Promise.resolve());
  return sources;
}
