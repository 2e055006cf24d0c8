/** Opens a source: a recording as it is, or a session's as it grows. */
import type { Announcement } from "../../registry/announcement.ts";
import type { WatchedSession } from "../live/watch_session.ts";
import type { Timeline } from "../timeline/timeline.ts";
import type { ViewerSource } from "./api.ts";
import { recordingSource } from "./viewer_source.ts";
import type { AsyncClosable } from "./ref_counted_pool.ts";

/** What sources do to the world around. */
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
  /** Of a session: why it is over. */
  readonly ended?: Promise<{ reason: string }>;
  send?: WatchedSession["send"];
}

export async function openRecordingSource(path: string, { openTimeline }: SourcesWorld): Promise<OpenSource> {
  const timeline = await openTimeline(path, {});
  return { source: recordingSource(path), timeline, file: path, close: () => timeline.close() };
}

/**
 * @param sourceOf what the session is by now
 * @param onEnd called when it is over while it is watched
 */
export async function openSessionSource(
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
