/**
 * What can be looked at: a recording that was named, and live sessions as they come and go.
 *
 * A session is watched only while somebody looks at it, and for a while after. One that ended while it was watched
 * stays, with its past.
 */
import { basename } from "node:path";
import { log } from "../../platform/log.ts";
import type { Announcement } from "../live/announcement.ts";
import type { Timeline } from "../timeline/timeline.ts";
import { notThere } from "./answers.ts";
import type { SendRequest, Source } from "./api.ts";

/** A session that this viewer watches (`live/watch_session.ts`). */
export interface Watched {
  /** The recording, which grows until `ended`. */
  file: string;
  ended: Promise<{ reason: string }>;
  /** @throws {PthError} what the session says against it */
  send(actor: string, event: SendRequest["event"]): Promise<void>;
  close(): Promise<void>;
}

/** What sources do to the world around. */
export interface SourcesWorld {
  openTimeline(path: string, options: { ended?: Promise<unknown> }): Promise<Timeline>;
  announcements(): Promise<Announcement[]>;
  watch(announcement: Announcement): Promise<Watched>;
}

/** A source that is read. */
export interface OpenSource {
  readonly source: Source;
  readonly timeline: Timeline;
  readonly file: string;
  /** Of a session: why it is over. */
  readonly ended?: Promise<{ reason: string }>;
  send?: Watched["send"];
}

export interface Sources {
  list(): Promise<Source[]>;
  /** Opens what is not open yet, and keeps it open until the work is done. @throws {PthError} `INVALID_INPUT` for an unknown one */
  use<T>(id: string, work: (open: OpenSource) => Promise<T>): Promise<T>;
  /** The same until `release` is called. */
  hold(id: string): Promise<{ open: OpenSource; release: () => void }>;
  /** Calls when there are others, or one ended; looks for them only while somebody listens. Answers how to stop. */
  follow(listener: (sources: Source[]) => void): () => void;
  close(): Promise<void>;
}

export interface SourcesOptions {
  world: SourcesWorld;
  /** Path of a recording. */
  recording?: string;
  /** Which live sessions are shown; default: all. */
  chosen?: (announcement: Announcement) => boolean;
  allowSend?: boolean;
  /** How often it is looked for sessions, in ms. */
  lookEveryMs?: number;
  /** How long a session is watched after nobody looks any more, in ms. */
  lingerMs?: number;
}

export const recordingId = "recording";
export const liveId = ({ id }: Announcement): string => `live-${id}`;

export function createSources(options: SourcesOptions): Sources {
  const { world, recording, chosen = () => true, allowSend = false, lookEveryMs = 1000, lingerMs = 10_000 } =
    options;
  const opened = new Map<string, Entry>();
  /** Sessions that are over, with their past. */
  const past = new Map<string, Source>();
  const listeners = new Set<(sources: Source[]) => void>();
  let living: Announcement[] = [];
  let told = "";
  let failed = false;
  let timer: ReturnType<typeof setInterval> | undefined;

  const listed = (): Source[] => [
    ...(recording === undefined ? [] : [ofRecording(recording)]),
    ...living.filter((one) => !past.has(liveId(one))).map((one) => ofSession(one, allowSend)),
    ...past.values(),
  ];

  /** A folder that cannot be read is told once: recordings can be looked at all the same. */
  async function announced(): Promise<Announcement[]> {
    try {
      return (await world.announcements()).filter(chosen);
    } catch (error) {
      if (!failed) log.warn("Cannot look for live sessions", { error });
      failed = true;
      return [];
    }
  }

  async function look(): Promise<Source[]> {
    living = await announced();
    const sources = listed();
    const text = JSON.stringify(sources);
    if (text !== told) {
      told = text;
      for (const listener of listeners) listener(sources);
    }
    return sources;
  }

  const tick = () => {
    for (const [id, entry] of opened) {
      if (id !== recordingId && entry.users === 0 && !past.has(id) && Date.now() - entry.usedAt > lingerMs) {
        opened.delete(id);
        entry.close();
      }
    }
    if (listeners.size > 0) void look();
    if (listeners.size === 0 && ![...opened.keys()].some((id) => id !== recordingId)) stopLooking();
  };
  const startLooking = () => timer ??= setInterval(tick, lookEveryMs);
  const stopLooking = () => {
    clearInterval(timer);
    timer = undefined;
  };

  async function openSession(id: string): Promise<OpenSource & { close(): Promise<void> }> {
    const announcement = (await announced()).find((one) => liveId(one) === id);
    if (announcement === undefined) {
      throw notThere(`source ${id}`, ["The session is over: choose another one"]);
    }
    const watched = await world.watch(announcement);
    try {
      const timeline = await world.openTimeline(watched.file, { ended: watched.ended });
      let closed = false;
      void watched.ended.then(() => {
        if (!closed) past.set(id, { ...ofSession(announcement, false), state: "ended" });
        return look();
      });
      const source = () => past.get(id) ?? ofSession(announcement, allowSend);
      const close = async () => {
        closed = true;
        await timeline.close();
        await watched.close();
      };
      return {
        get source() {
          return source();
        },
        timeline,
        file: watched.file,
        ended: watched.ended,
        send: (actor, event) => watched.send(actor, event),
        close,
      };
    } catch (error) {
      await watched.close();
      throw error;
    }
  }

  async function openRecording(path: string): Promise<OpenSource & { close(): Promise<void> }> {
    const timeline = await world.openTimeline(path, {});
    return { source: ofRecording(path), timeline, file: path, close: () => timeline.close() };
  }

  function entryOf(id: string): Entry {
    const known = opened.get(id);
    if (known !== undefined) return known;
    if (id === recordingId && recording === undefined) throw notThere("recording in this viewer");
    const open = id === recordingId ? openRecording(recording!) : openSession(id);
    const entry: Entry = {
      open,
      users: 0,
      usedAt: Date.now(),
      close: () => open.then(({ close }) => close(), () => undefined), // what failed to open was told to who asked
    };
    opened.set(id, entry);
    open.catch(() => opened.delete(id));
    if (id !== recordingId) startLooking();
    return entry;
  }

  async function hold(id: string): Promise<{ open: OpenSource; release: () => void }> {
    const entry = entryOf(id);
    entry.users++;
    let held = true;
    const release = () => {
      if (held) entry.users--;
      held = false;
      entry.usedAt = Date.now();
    };
    try {
      return { open: await entry.open, release };
    } catch (error) {
      release();
      throw error;
    }
  }

  return {
    list: look,
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
      listeners.add(listener);
      startLooking();
      return () => void listeners.delete(listener);
    },
    async close() {
      stopLooking();
      listeners.clear();
      const entries = [...opened.values()];
      opened.clear();
      await Promise.all(entries.map(({ close }) => close()));
    },
  };
}

interface Entry {
  open: Promise<OpenSource & { close(): Promise<void> }>;
  users: number;
  /** `Date.now()` when it was last let go. */
  usedAt: number;
  close(): Promise<void>;
}

const ofRecording = (path: string): Source => ({
  id: recordingId,
  kind: "recording",
  title: basename(path),
  detail: path,
  state: "whole",
  maySend: false,
});

export const ofSession = (announcement: Announcement, maySend: boolean): Source => ({
  id: liveId(announcement),
  kind: "live",
  title: announcement.target ?? `pth ${announcement.command}`,
  detail: `pth ${announcement.command}, since ${clock(announcement.startedAt)}`,
  state: "live",
  maySend,
});

/** `14:03`, of this machine. */
const clock = (iso: string): string => {
  const time = new Date(iso);
  return [time.getHours(), time.getMinutes()].map((part) => String(part).padStart(2, "0")).join(":");
};
