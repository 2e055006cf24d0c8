/** Puts together what the API answers from: timelines, live sessions, charts. */
import { listAnnouncements } from "../live/list_announcements.ts";
import { watchSession } from "../live/watch_session.ts";
import { openTimeline } from "../timeline/open_timeline.ts";
import { sequenceMermaid } from "../timeline/sequence_mermaid.ts";
import type { Desk } from "./api_request.ts";
import { machineCharts } from "./machine_charts.ts";
import { createSources, recordingId } from "./sources.ts";

export interface DeskOptions {
  /** Path of a recording. */
  recording?: string;
  allowSend: boolean;
}

/** @throws {PthError} where the recording cannot be read: that is told before a page is served */
export async function openDesk(options: DeskOptions): Promise<Omit<Desk, "pageCame">> {
  const sources = createSources({
    ...options,
    world: { openTimeline, announcements: () => listAnnouncements(), watch: (one) => watchSession(one) },
  });
  if (options.recording !== undefined) await sources.use(recordingId, () => Promise.resolve());
  return { sources, charts: machineCharts(), sequence: sequenceMermaid };
}
