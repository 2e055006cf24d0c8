/** Sources of the real world: recordings on the disk, and sessions that announced themselves. */
import { listAnnouncements } from "../live/list_announcements.ts";
import { watchSession } from "../live/watch_session.ts";
import { openTimeline } from "../timeline/open_timeline.ts";
import { recordingId } from "./viewer_source.ts";
import { createSources, type Sources, type SourcesOptions } from "./sources.ts";

/** @throws {PthError} where the recording cannot be read: that is told before a page is served */
export async function openSources(options: Omit<SourcesOptions, "world">): Promise<Sources> {
  const sources = createSources({
    ...options,
    world: { openTimeline, announcements: () => listAnnouncements(), watch: (one) => watchSession(one) },
  });
  if (options.recording !== undefined) await sources.use(recordingId, () => Promise.resolve());
  return sources;
}
